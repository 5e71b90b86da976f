package dev.weir.hash.text;

/** The scripts that languages of the word and trigram lists are grouped by; those of one script compete. */
enum Script {
    LATIN, CYRILLIC, DEVANAGARI, ARABIC;

    /** The name in the data files. */
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
