package dev.weir.hash.mime.charset;

import java.util.Arrays;

import dev.weir.hash.mime.charset.detect.EncodingDetector;
import org.jspecify.annotations.Nullable;

/** The charset of 8-bit text without a declared charset. For longer text, two equal answers of three samples win. */
final class CharsetGuess {
    private static final int SAMPLE = 512;
    private static final int SAMPLED_FROM = 1536;
    private static final String ASCII = "US-ASCII";

    private CharsetGuess() {}

    /** Returns the name of the most likely charset; null if all samples of a longer text are ASCII. */
    static @Nullable String guess(byte[] data) {
        if (data.length < SAMPLED_FROM) {
            return EncodingDetector.detect(data);
        }
        return vote(sample(data, 0), sample(data, data.length / 2), sample(data, data.length - SAMPLE));
    }

    private static @Nullable String sample(byte[] data, int from) {
        String name = EncodingDetector.detect(Arrays.copyOfRange(data, from, from + SAMPLE));
        return name.equals(ASCII) ? null : name;
    }

    /**
     * Returns the answer of two samples, or else that of the first. A sample without an answer takes the one of the
     * next sample, or of the first sample if there is no next: with A, B and none, B wins.
     */
    static @Nullable String vote(@Nullable String start, @Nullable String center, @Nullable String end) {
        String first = start != null ? start : center != null ? center : end;
        String second = center != null ? center : end != null ? end : first;
        String third = end != null ? end : second;
        return second != null && second.equals(third) ? second : first;
    }
}
