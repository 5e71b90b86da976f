package dev.weir.hash.text;

import java.util.List;

import dev.weir.hash.bytes.EightBytes;

/**
 * The splitter of a text into words at word boundaries; it replaces exceptions such as URLs by their tokens
 * (docs/reference/hashing.md#word-boundaries). The end of a URL is rarely a word boundary. This class loses the same
 * words around URLs that Rspamd loses.
 */
final class WordBreaker {
    /** The next step after a segment. */
    private enum Step {
        /** Continue with the next segment. */
        NEXT,
        /** Process the segment again, because it changed. */
        AGAIN,
        /** Stop, because the text or the budget is used up. */
        STOP
    }

    /** Cost of one segment, in units of {@code Effort.spend}. */
    private static final int STEPS = 16;
    /** Maximum length of a word that {@link #plainWords} takes. */
    private static final int LONGEST_PLAIN = TokenList.PACKED;

    private final byte[] text;
    private final Utf8Text utf8;
    private final WordBoundaries boundaries;
    private final List<TextException> exceptions;
    private final Decay decay;
    private final TextBudget budget;
    private final WordCache words;
    private final TokenList tokens;

    /** The current segment [last, end), in bytes and in characters. */
    private int last;
    private int lastChar;
    private int end;
    private int endChar;
    /** Index of the first exception not yet used. */
    private int next;

    /**
     * @param boundaries boundaries of {@code utf8} from its start
     * @param exceptions exceptions sorted by position
     * @param tokens receives the words
     */
    WordBreaker(byte[] text, Utf8Text utf8, WordBoundaries boundaries, List<TextException> exceptions, Decay decay,
            TextBudget budget, WordCache words, TokenList tokens) {
        this.text = text;
        this.utf8 = utf8;
        this.boundaries = boundaries;
        this.exceptions = exceptions;
        this.decay = decay;
        this.budget = budget;
        this.words = words;
        this.tokens = tokens;
    }

    void collect() {
        boolean more = plainWords() && advance();
        while (more) {
            budget.effort().spend(STEPS);
            switch (segment()) {
                case NEXT -> {
                    last = end;
                    lastChar = endChar;
                    more = plainWords() && advance();
                }
                case AGAIN -> {
                }
                case STOP -> more = false;
            }
        }
    }

    /**
     * Takes words of ASCII letters and digits before a space, or before a mark and a space, until something else or an
     * exception is near. Nearly all of most mail has this form. The end of such a word is a boundary under the rules of
     * any locale.
     *
     * @return false if the budget is used up
     */
    private boolean plainWords() {
        int start = last;
        int at = start;
        int exception = nextException();
        // The text must have room for a word of sixteen, a mark, its space and one more character.
        int bound = text.length - LONGEST_PLAIN - 2;
        boolean enough = true;
        while (at < bound && at < exception) {
            long low = EightBytes.lower(EightBytes.at(text, at));
            long high = 0;
            int length = EightBytes.run(low);
            if (length == 0) {
                break;
            }
            if (length == EightBytes.WIDTH) {
                high = EightBytes.lower(EightBytes.at(text, at + EightBytes.WIDTH));
                int more = EightBytes.run(high);
                high = more == 0 ? 0 : EightBytes.first(high, more);
                length += more;
            } else {
                low = EightBytes.first(low, length);
            }
            int to = at + length;
            // A mark joins words only if no space follows.
            int space = isMark(text[to]) ? to + 1 : to;
            if (text[space] != ' ' || exception <= space) {
                break;
            }
            if (decay.keeps(text, at, to, tokens.size(), to)) {
                if (!budget.takeToken(length)) {
                    enough = false;
                    break;
                }
                tokens.addPacked(low, high);
            }
            at = space;
            if (text[at + 1] <= ' ') {
                break;
            }
            if (exception == at + 1) {
                if (exceptions.get(next).length() > 0) {
                    break;
                }
                // This space joined two lines, which does not split anything.
                next++;
                exception = nextException();
            }
            at++;
        }
        if (at > start) {
            last = at;
            end = at;
            lastChar += at - start;
            endChar = lastChar;
            boundaries.moveTo(endChar);
        }
        return enough;
    }

    private int nextException() {
        return next < exceptions.size() ? exceptions.get(next).position() : Integer.MAX_VALUE;
    }

    private static boolean isMark(byte c) {
        return c == '.' || c == ',' || c == ';' || c == ':' || c == '!' || c == '?' || c == ')';
    }

    private Step segment() {
        if (next < exceptions.size()) {
            int position = exceptions.get(next).position();
            if (last <= position && position <= end) {
                return seam();
            }
            while (next < exceptions.size() && exceptions.get(next).position() <= last) {
                next++;
            }
        }
        return word(last, lastChar, end, endChar);
    }

    /** Handles an exception inside the segment or at one of its ends. */
    private Step seam() {
        while (next < exceptions.size() && exceptions.get(next).position() <= last) {
            TextException e = exceptions.get(next++);
            if (!passOver(e, last)) {
                return Step.STOP;
            }
            if (last > end) {
                return catchUp();
            }
        }
        if (next < exceptions.size() && exceptions.get(next).position() <= end) {
            TextException e = exceptions.get(next++);
            int from = last;
            int fromChar = lastChar;
            int toChar = utf8.charOffset(lastChar, last, e.position());
            if (!passOver(e, e.position())) {
                return Step.STOP;
            }
            // The token of the exception precedes the word before it. If the exception extends past the segment, that
            // word is lost; otherwise the rest of the segment is lost.
            return last > end ? catchUp() : word(from, fromChar, e.position(), toChar);
        }
        return end > last ? word(last, lastChar, end, endChar) : Step.NEXT;
    }

    /**
     * Emits the token of {@code e} and sets {@code last} to its end.
     *
     * @return false if the budget is used up
     */
    private boolean passOver(TextException e, int from) {
        int target = (int) Math.min(text.length, (long) from + e.length());
        lastChar = utf8.charOffset(lastChar, last, target);
        last = target;
        if (e.length() > 0) {
            if (!budget.takeToken(e.length())) {
                return false;
            }
            tokens.addEmpty();
        }
        return true;
    }

    /**
     * Moves the end of the segment to the first boundary after {@code last}, not to one at it. Skipped exceptions
     * belong to the next segment.
     */
    private Step catchUp() {
        while (end <= last) {
            if (!advance()) {
                return Step.STOP;
            }
        }
        return Step.AGAIN;
    }

    private boolean advance() {
        int boundary = boundaries.next();
        if (boundary == WordBoundaries.DONE) {
            return false;
        }
        end = utf8.byteOffset(endChar, end, boundary);
        endChar = boundary;
        return true;
    }

    private Step word(int from, int fromChar, int to, int toChar) {
        if (fromChar >= toChar || utf8.isInside(from, fromChar)
                || !WordForm.startsWord(utf8.chars().codePointAt(fromChar))
                || !decay.keeps(text, from, to, tokens.size(), end)) {
            return Step.NEXT;
        }
        if (!budget.takeToken(to - from)) {
            return Step.STOP;
        }
        // The position of a displayed URL refers to the text before zero-width characters are removed, so a URL may
        // begin or end between the bytes of a character. Text that begins there is no word, and a word that ends there
        // is empty.
        if (utf8.isInside(to, toChar)) {
            tokens.addEmpty();
        } else if (toChar - fromChar > WordForm.MAX_UNITS || !tokens.addAscii(text, from, to)) {
            budget.effort().spend(WordForm.steps(toChar - fromChar));
            String form = WordForm.normalise(utf8.chars(), fromChar, toChar);
            if (form.isEmpty()) {
                tokens.addEmpty();
            } else {
                tokens.addWord(words.of(form));
            }
        }
        return Step.NEXT;
    }
}
