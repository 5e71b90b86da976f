package dev.weir.hash.mime;

import java.util.Arrays;

import com.ibm.icu.text.CharsetDetector;
import com.ibm.icu.text.CharsetMatch;
import org.jspecify.annotations.Nullable;

/**
 * Guesses the charset of 8-bit text that does not say its own. The reference asks Google's compact_enc_det, of which no
 * Java version exists; this asks ICU's detector in the same way (three samples of 512 bytes for longer text, two equal
 * answers win), so it is an approximation: the answers agree for ordinary text of some length and may differ for short or
 * mixed text.
 */
final class CharsetGuess {
    private static final int SAMPLE = 512;
    private static final int SAMPLED_FROM = 1536;

    private CharsetGuess() {}

    /** Name of the most likely charset, or null. */
    static @Nullable String guess(byte[] data) {
        if (data.length < SAMPLED_FROM) {
            return detect(data);
        }
        int middle = data.length / 2;
        String start = detect(Arrays.copyOfRange(data, 0, SAMPLE));
        String center = detect(Arrays.copyOfRange(data, middle, middle + SAMPLE));
        String end = detect(Arrays.copyOfRange(data, data.length - SAMPLE, data.length));
        if (start != null && (start.equals(center) || start.equals(end))) {
            return start;
        }
        if (center != null && center.equals(end)) {
            return center;
        }
        return start != null ? start : center != null ? center : end;
    }

    private static @Nullable String detect(byte[] data) {
        if (!Ascii.hasHighBytes(data)) {
            return null;
        }
        CharsetDetector detector = new CharsetDetector();
        detector.setText(data);
        CharsetMatch match = detector.detect();
        if (match == null) {
            return null;
        }
        String name = match.getName();
        // Letters of Windows-1252 outside ISO-8859-1 are quotation marks and dashes; the wider charset reads both.
        return name.equals("ISO-8859-1") ? "windows-1252" : name;
    }
}
