package dev.weir.scan.score;

/**
 * A hit of a rule with its score, ready to become a symbol.
 *
 * @param match all that is known of it; its score is the final one
 * @param option in Rspamd's shape
 */
record Hit(FuzzyMatch match, String option) {}
