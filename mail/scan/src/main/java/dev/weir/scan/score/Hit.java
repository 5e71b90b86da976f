package dev.weir.scan.score;

/**
 * A scored hit of a rule, ready to become a symbol.
 *
 * @param match the details of the hit with its final score
 * @param option the symbol option in Rspamd's format
 */
record Hit(FuzzyMatch match, String option) {}
