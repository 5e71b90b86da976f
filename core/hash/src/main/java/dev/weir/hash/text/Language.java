package dev.weir.hash.text;

/**
 * A language that detection can recognize.
 *
 * @param code two letters
 * @param diacritics whether its texts have many letters outside ASCII
 * @param ascii whether its texts are plain ASCII
 * @param stopWords number of stop words to which a share refers; 0 without a list
 */
record Language(String code, Script script, boolean diacritics, boolean ascii, int stopWords) {}
