"""How senders lay out their files: one YAML declaration each, and the model that reads them."""
