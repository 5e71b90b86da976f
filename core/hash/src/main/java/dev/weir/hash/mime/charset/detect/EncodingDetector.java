package dev.weir.hash.mime.charset.detect;

import java.util.Arrays;

/**
 * A detector of the encoding of a text by its byte pairs.
 *
 * <p>It gives the answers of compact_enc_det 2.2 for e-mail, with the hints that Rspamd gives: English, Latin letters.
 * It collects the pairs that begin with a byte beyond ASCII, a control character, a plus sign or a tilde. After every
 * eighth pair, each encoding gets the logarithm of the probability of these pairs, and evidence of other kinds; those
 * that fall behind drop out. If the result is unreliable, the accents count again by their neighbors, then the second
 * half of a longer text is asked, and if that disagrees, all pairs of the text decide between the best of both.
 *
 * <p>Texts are at most 6 KB long, because compact_enc_det has other rules beyond.
 */
public final class EncodingDetector {
    private enum Occasion {
        EIGHTH_PAIR, NO_SEVEN_BIT, END
    }

    private static final int FIRST_DISTANCE = 40 * Weights.BIT;
    private static final int LAST_DISTANCE = 10 * Weights.BIT;
    private static final int DISTANCE_STEP = 10 * Weights.BIT;
    private static final int RELIABLE_LEAD = 10 * Weights.BIT;
    /** The likeliest encoding of a pair counts for this many pairs. */
    private static final int LIKELIEST_PAIRS = 16;
    private static final int FULL_HINTS = 12;
    private static final int LEAST_HINTS = 3;
    /** After this many pairs, plus signs, tildes and zero bytes no longer count. */
    private static final int CLEAR_PAIRS = 16;
    private static final int FAMILY_ROUNDS = 3;
    private static final int STRONG_PAIRS = 6;
    private static final int LEAST_REST = 800;
    private static final int LONGEST_LOOK_BACK = 192;

    private final byte[] text;
    private final boolean again;
    private final PairList ascii = new PairList();
    private final PairList other = new PairList();
    private final Candidates candidates = new Candidates();
    private final Utf8Evidence utf8 = new Utf8Evidence();
    private final BinaryEvidence binary = new BinaryEvidence();
    private final EscapeEvidence escapes;
    private final int[] recent = {-1, -1, -1, -1};
    private int nextRecent;
    private int distance = FIRST_DISTANCE;
    private int rounds;
    private boolean highControl;
    private boolean done;
    private boolean reliable;
    private boolean compatible;
    private int result;
    /** First byte that is not scanned. */
    private int at;

    private EncodingDetector(byte[] text, boolean again) {
        this.text = text;
        this.again = again;
        this.escapes = new EscapeEvidence(text);
    }

    /** Returns the MIME name of the likeliest encoding; {@code x-binaryenc} stands for binary data. */
    public static String detect(byte[] text) {
        if (text.length == 0) {
            return Encodings.name(Encodings.LATIN_1);
        }
        EncodingDetector detector = new EncodingDetector(text, false);
        detector.run();
        return detector.result == Encodings.NONE ? "x-unknown" : Encodings.name(detector.result);
    }

    private void run() {
        int mark = FirstBytes.score(text, candidates);
        boolean lastByteTaken = scan();
        score(Occasion.NO_SEVEN_BIT, at);
        if (!done) {
            scanHigh(lastByteTaken);
        }
        score(Occasion.END, at);
        result = candidates.top();
        compatible = isCompatible(mark == Encodings.NONE ? Encodings.LATIN_1 : mark, result)
                || (again && reliable && other.size() >= STRONG_PAIRS && isUsualWithoutHint(result));
        if (!reliable || !compatible) {
            countAccents();
        }
        if ((!reliable || !compatible) && !again && !Encodings.has(result, Encodings.SEVEN_BIT)) {
            askSecondHalf(mark);
        } else if (!compatible) {
            reliable = false;
        }
    }

    /** Collects pairs until no seven-bit encoding is left. Returns whether the last byte was one of them. */
    private boolean scan() {
        int last = text.length - 1;
        while (at < last) {
            int interest = interest(text[at] & 0xff);
            if (interest == 0) {
                at++;
                continue;
            }
            boolean scored = take(interest);
            at += interest;
            if (scored && (done || !candidates.anyHas(Encodings.SEVEN_BIT))) {
                break;
            }
        }
        return takeLast();
    }

    /** Returns 2 for a byte that begins a pair, 1 for a mark of a seven-bit encoding, else 0. */
    private static int interest(int b) {
        if (b == '+' || b == '~') {
            return 1;
        }
        return FirstBytes.isPrintable(b) || b == '\f' ? 0 : 2;
    }

    private boolean takeLast() {
        int interest = at == text.length - 1 ? interest(text[at] & 0xff) : 0;
        if (interest != 0) {
            take(interest);
        }
        return interest != 0;
    }

    /** Collects pairs that begin beyond ASCII. */
    private void scanHigh(boolean lastByteTaken) {
        int last = text.length - 1;
        while (at < last) {
            if (text[at] >= 0) {
                at++;
                continue;
            }
            boolean scored = take(2);
            at += 2;
            if (scored && done) {
                break;
            }
        }
        if (!lastByteTaken) {
            takeLast();
        }
    }

    /** Adds the pair that begins here. Returns whether all pairs were scored then. */
    private boolean take(int interest) {
        int first = text[at] & 0xff;
        int second = at + 1 < text.length ? text[at + 1] & 0xff : ' ';
        PairList pairs = interest == 1 ? ascii : other;
        if (pairs.size() > CLEAR_PAIRS && (interest == 1 || first == 0)) {
            return false;
        }
        if (pairs.isFull()) {
            done |= pairs == other;
        } else {
            pairs.add(first, second, at);
        }
        if (!done && pairs.size() % 8 != 0) {
            return false;
        }
        score(Occasion.EIGHTH_PAIR, at + 2);
        return true;
    }

    /** Scores the new pairs and drops the encodings that fell behind. */
    private void score(Occasion occasion, int end) {
        boolean last = occasion == Occasion.END;
        rounds++;
        if (last && other.size() < FULL_HINTS) {
            candidates.weakenHints(Math.max(LEAST_HINTS, other.size() + 1), FULL_HINTS);
        }
        if (!last && candidates.size() <= 1) {
            done = true;
            return;
        }
        if (!last && !ascii.hasNew() && !other.hasNew()) {
            return;
        }
        int counted = scorePairs();
        scoreEvidence(end);
        ascii.markScored();
        other.markScored();
        if (last) {
            utf8.end(candidates);
            binary.end(candidates);
            if (candidates.anyHas(Encodings.ESCAPES)) {
                escapes.end(other, candidates);
            }
        }
        candidates.rank();
        int kept = candidates.top() == Encodings.BINARY ? 2 * distance : distance;
        if (distance > LAST_DISTANCE) {
            distance -= counted == 0 ? DISTANCE_STEP / 2 : DISTANCE_STEP;
        }
        candidates.drop(candidates.topScore() - kept, occasion != Occasion.NO_SEVEN_BIT);
        if (last) {
            correctTop();
        }
        settle();
    }

    /** Scores how likely each candidate makes the new pairs. Returns how many pairs counted. */
    private int scorePairs() {
        int counted = 0;
        int firstBits = 0;
        int forbidden = -1;
        int lastUpper = 0;
        for (int i = other.scored(); i < other.size(); i++) {
            int first = other.first(i);
            int second = other.second(i);
            int upper = (first & 0xf0) | (second >> 4);
            boolean inWord = other.continues(i) && ((upper & 0xcc) == 0xcc || (lastUpper & 0xcc) == 0xcc);
            lastUpper = upper;
            firstBits |= first;
            highControl |= first >> 5 == 4;
            if (isRecent(first, second)) {
                continue;
            }
            counted++;
            int pair = (first << 8) | second;
            candidates.add(Weights.SLIGHT, Encodings.WINDOWS_1252, Encodings.ASCII);
            if (scorePair(first, second, inWord, forbidden != pair)) {
                forbidden = pair;
            }
            int likeliest = Encodings.likeliest(first, second);
            if (i < LIKELIEST_PAIRS && likeliest != Encodings.NONE) {
                candidates.add(likeliest, Weights.SLIGHT);
            }
        }
        if (firstBits < 0x80) {
            addToAll(Encodings.TWO_BYTE, -counted * Weights.GENTLE);
        }
        return counted;
    }

    private boolean isRecent(int first, int second) {
        int pair = (first << 8) | (first < ' ' ? second & 0xf0 : second);
        for (int known : recent) {
            if (known == pair) {
                return true;
            }
        }
        recent[nextRecent] = pair;
        nextRecent = (nextRecent + 1) & 3;
        return false;
    }

    /** Scores one pair for each candidate. Returns whether one lost score because it forbids the pair. */
    private boolean scorePair(int first, int second, boolean inWord, boolean punish) {
        boolean punished = false;
        for (int i = 0; i < candidates.size(); i++) {
            int encoding = candidates.get(i);
            boolean repeated = encoding == Encodings.BINARY && binary.isRepeated(first, second);
            if (!Encodings.forbids(encoding, first, second)) {
                int likelihood = Encodings.likelihood(encoding, first, second);
                candidates.add(encoding, repeated ? likelihood / 4 : likelihood);
            } else if (punish) {
                candidates.add(encoding, -Weights.STRONG);
                punished = true;
            }
            if (inWord && Encodings.has(encoding, Encodings.ALPHABET)) {
                candidates.add(encoding, Weights.SLIGHT);
            }
        }
        return punished;
    }

    private boolean addToAll(int trait, int amount) {
        boolean any = false;
        for (int i = 0; i < candidates.size(); i++) {
            if (Encodings.has(candidates.get(i), trait)) {
                candidates.add(candidates.get(i), amount);
                any = true;
            }
        }
        return any;
    }

    /** Scores what concerns only some encodings. */
    private void scoreEvidence(int end) {
        if (candidates.anyHas(Encodings.UTF7_MARKS | Encodings.HZ_MARKS) && ascii.hasNew()) {
            escapes.addAscii(ascii, candidates);
        }
        boolean anyBytes = candidates.anyHas(Encodings.ANY_BYTES);
        boolean wide = candidates.anyHas(Encodings.WIDE);
        boolean utf8Left = candidates.anyHas(Encodings.UTF8_SEQUENCES);
        boolean escapesLeft = candidates.anyHas(Encodings.ESCAPES);
        boolean eucLeft = candidates.anyHas(Encodings.EUC_PHASE);
        boolean none = !anyBytes && !wide && !utf8Left && !escapesLeft && !eucLeft;
        if (none || !other.hasNew()) {
            return;
        }
        for (int i = other.scored(); i < other.size(); i++) {
            int first = other.first(i);
            int second = other.second(i);
            if (first == second && (first == 0 || first == 0xff)) {
                BinaryEvidence.addDouble(first, other.offset(i), candidates);
            } else if (first == 0 && FirstBytes.isPrintable(second)) {
                // A zero byte at an odd offset follows its letter, as in UTF-16LE.
                other.makeEven(i);
            }
            if (anyBytes) {
                binary.add(first, second, candidates);
            }
        }
        if (utf8Left) {
            utf8.add(other, candidates);
        }
        if (escapesLeft) {
            escapes.addIso2022(other, candidates);
        }
        if (candidates.anyHas(Encodings.HZ_MARKS)) {
            escapes.addHz(ascii, candidates);
        }
        if (eucLeft) {
            escapes.addEucPhase(other, candidates);
        }
        if (anyBytes || wide) {
            binary.addDensity(other, end, candidates);
        }
    }

    /** Text without pairs is ASCII; of an ISO charset and its Windows form, the bytes from 80 to 9F tell which. */
    private void correctTop() {
        int top = candidates.top();
        if (other.size() == 0 && top != Encodings.BINARY && !Encodings.has(top,
                Encodings.UTF7_MARKS | Encodings.HZ_MARKS | Encodings.ESCAPES)) {
            candidates.force(Encodings.ASCII, 2 * Weights.STRONG);
        }
        String better = switch (Encodings.name(candidates.top())) {
            case "ISO-8859-1" -> highControl ? "windows-1252" : "";
            case "ISO-8859-6" -> highControl ? "windows-1256" : "";
            case "ISO-8859-9" -> highControl ? "windows-1254" : "";
            case "ISO-8859-11" -> highControl ? "windows-874" : "";
            case "windows-1252" -> highControl ? "" : "ISO-8859-1";
            case "windows-1254" -> highControl ? "" : "ISO-8859-9";
            case "windows-874" -> highControl ? "" : "ISO-8859-11";
            default -> "";
        };
        if (!better.isEmpty()) {
            candidates.force(Encodings.of(better), 2 * Weights.STRONG);
        }
    }

    /** Decides whether the best encoding is reliable, and whether more pairs cannot change it. */
    private void settle() {
        boolean settled = candidates.size() == 1 || (rounds >= FAMILY_ROUNDS && candidates.areOneFamily());
        reliable = settled || other.size() == 0 || candidates.lead() >= RELIABLE_LEAD || (other.size() == 1
                && Encodings.likeliest(other.first(0), other.second(0)) == candidates.top());
        done |= settled;
    }

    private static boolean isCompatible(int one, int two) {
        return Encodings.base(one) == Encodings.base(two) || one == Encodings.ASCII || two == Encodings.ASCII;
    }

    /** Whether pages of the web often have this encoding without naming it. */
    private static boolean isUsualWithoutHint(int encoding) {
        return isCompatible(Encodings.UTF_8, encoding) || switch (Encodings.name(Encodings.base(encoding))) {
            case "EUC-JP", "Shift_JIS", "Big5", "GB2312", "EUC-KR" -> true;
            default -> false;
        };
    }

    /** Favors charsets with accents if bytes beyond ASCII stand alone, and others if they form words. */
    private void countAccents() {
        boolean changed = false;
        for (int i = 0; i < other.size(); i++) {
            int offset = other.offset(i);
            boolean around = isHigh(offset - 1) || isHigh(offset + 1) || isHigh(offset + 2);
            boolean allAround = isHigh(offset - 1) && isHigh(offset + 1) && isHigh(offset + 2);
            // Bytes from 80 to BF, which are rarely letters, do not count. Nor do those from 00 to 3F.
            int amount = (text[offset] & 0x40) == 0 || around != allAround
                    ? 0
                    : around ? -Weights.GENTLE : Weights.GENTLE;
            changed |= amount != 0 && addToAll(Encodings.ACCENTS, amount);
        }
        if (changed) {
            candidates.rank();
            result = candidates.top();
            candidates.drop(candidates.topScore() - LAST_DISTANCE, true);
            settle();
        }
    }

    private boolean isHigh(int offset) {
        return offset >= 0 && offset < text.length && text[offset] < 0;
    }

    /** Asks the second half of the unread text, if it is long enough, and decides between the answers. */
    private void askSecondHalf(int mark) {
        int rest = text.length - at;
        if (rest <= LEAST_REST) {
            return;
        }
        int middle = (at + rest / 2) & ~1;
        int back = middle - 1;
        int limit = Math.max(middle - LONGEST_LOOK_BACK, at);
        while (back >= limit && text[back] < 0) {
            back--;
        }
        if (back >= limit) {
            middle = (back + 1) & ~1;
        }
        EncodingDetector half = new EncodingDetector(Arrays.copyOfRange(text, middle, text.length), true);
        half.run();
        boolean sure = reliable && half.reliable;
        boolean empty = half.result == Encodings.ASCII;
        boolean fits = isCompatible(result, half.result);
        boolean fitsMark = mark == Encodings.NONE || isCompatible(mark, half.result);
        if (!empty && sure && fits) {
            result = larger(result, half.result);
        } else if (!half.reliable || empty || !fits || !fitsMark) {
            result = byAllPairs(result, candidates.second(), half.result, half.candidates.second(), mark);
        } else {
            result = larger(mark, half.result);
        }
    }

    private static int larger(int one, int two) {
        return Encodings.level(one) >= Encodings.level(two) ? one : two;
    }

    /** Returns the one of several encodings that makes all pairs of the text likeliest. */
    private int byAllPairs(int... encodings) {
        int best = encodings[0];
        long bestSum = -1;
        for (int encoding : encodings) {
            long sum = 0;
            for (int i = 0; encoding != Encodings.NONE && i < text.length - 1;) {
                if (text[i] < 0) {
                    sum += Encodings.likelihood(encoding, text[i] & 0xff, text[i + 1] & 0xff);
                    i += 2;
                } else {
                    i++;
                }
            }
            if (sum > bestSum && encoding != Encodings.NONE) {
                bestSum = sum;
                best = encoding;
            }
        }
        return best;
    }
}
