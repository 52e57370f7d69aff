"""Everything that draws with Streamlit."""
