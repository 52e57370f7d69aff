"""How the small model in ``assets/models`` was made."""
