"""Pure functions from arrays to Plotly figures."""
