package dev.weir.hash.text;

import java.util.AbstractList;
import java.util.ArrayList;
import java.util.List;

/** The tokens of one text in order: words, and {@link Word#NONE} for URLs and for words of which nothing is left. */
final class TokenList {
    private final List<Word> tokens = new ArrayList<>();

    void addWord(Word word) {
        tokens.add(word);
    }

    void addOther() {
        tokens.add(Word.NONE);
    }

    int size() {
        return tokens.size();
    }

    Word get(int index) {
        return tokens.get(index);
    }

    /** The normal forms of all tokens, empty where one is no word. */
    List<String> forms() {
        return new AbstractList<>() {
            @Override
            public String get(int index) {
                return tokens.get(index).form();
            }

            @Override
            public int size() {
                return tokens.size();
            }
        };
    }
}
