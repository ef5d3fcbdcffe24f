"""Royalties: from royalty lines to what payees have earned and may be paid."""
