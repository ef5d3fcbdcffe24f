"""Files into tables: read, recognised, checked, corrected."""
