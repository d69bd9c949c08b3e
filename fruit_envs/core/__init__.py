"""The contract, and everything written once over it."""
