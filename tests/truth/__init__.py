"""Truth tests: real servers on real SDKs live or die as mcplint says."""
