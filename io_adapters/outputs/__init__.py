"""What a run leaves for people and programs: workbooks, CSV, JSON."""
