package dev.weir.hash.text;

/**
 * The scripts by which the languages of the word and trigram lists are grouped; languages of one script compete with
 * each other.
 */
enum Script {
    LATIN, CYRILLIC, DEVANAGARI, ARABIC;

    /** Returns the script with this name in the data files. */
    static Script parse(String name) {
        return switch (name) {
            case "latin" -> LATIN;
            case "cyrillic" -> CYRILLIC;
            case "devanagari" -> DEVANAGARI;
            case "arab" -> ARABIC;
            default -> throw new IllegalArgumentException("unknown script: " + name);
        };
    }
}
