"""The environments: PettingZoo, Gymnasium, vectors and the batch."""
