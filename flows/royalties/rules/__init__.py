"""Rules of royalties: shares, allocation, advances, periods, statements; imports schemas and other rules alone."""
