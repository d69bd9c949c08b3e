"""The faces of every game: PettingZoo, Gymnasium, batch."""
