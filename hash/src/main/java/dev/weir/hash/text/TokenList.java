package dev.weir.hash.text;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** The tokens of one text in order: normalised words, and empty strings for URLs and for words of which nothing is left. */
final class TokenList {
    private final List<String> tokens = new ArrayList<>();

    void addWord(String normalised) {
        tokens.add(normalised);
    }

    void addOther() {
        tokens.add("");
    }

    int size() {
        return tokens.size();
    }

    List<String> asList() {
        return Collections.unmodifiableList(tokens);
    }
}
