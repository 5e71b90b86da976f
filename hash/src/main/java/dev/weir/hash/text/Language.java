package dev.weir.hash.text;

/**
 * A language that is told apart by its words or trigrams.
 *
 * @param code two letters
 * @param diacritics its texts are full of letters beyond ASCII
 * @param ascii its texts are plain ASCII
 * @param stopWords the number of stop words that a share is taken of; 0 if it has no list
 */
record Language(String code, Script script, boolean diacritics, boolean ascii, int stopWords) {}
