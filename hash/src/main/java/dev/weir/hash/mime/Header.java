package dev.weir.hash.mime;

/**
 * One header field.
 *
 * @param name lower-cased
 * @param value unfolded, one character a byte, without leading white space
 */
record Header(String name, String value) {}
