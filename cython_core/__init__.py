"""Private compiled core of mjstats; import it through mjstats only."""
