package dev.weir.cli.control;

import java.math.BigDecimal;
import java.util.Locale;

/** Numbers as {@code rspamadm control fuzzystat} prints them (docs/reference/storage.md#report-of-fuzzystat). */
final class Humanized {
    private static final String[] SUFFIXES = {"", "k", "M", "G", "T", "P", "E"};
    private static final int STEP = 1_000;
    /** Numbers above this have no decimals. */
    private static final int LARGE = 500;

    private Humanized() {}

    /** Returns three or four digits with a suffix: 12.35k for 12345. */
    static String shorten(double number) {
        long value = (long) number;
        long rest = 0;
        int suffix = 0;
        while (value > STEP && suffix < SUFFIXES.length - 1) {
            rest = value % STEP;
            value /= STEP;
            suffix++;
        }
        if (rest == 0 || value > LARGE) {
            return value + (rest + 50) / STEP + SUFFIXES[suffix];
        }
        long hundredths = value * 100 + (rest + 5) / 10;
        return String.format(Locale.ROOT, "%d.%02d%s", hundredths / 100, hundredths % 100, SUFFIXES[suffix]);
    }

    /** Returns the exact number, without decimals if it is whole. */
    static String plain(double number) {
        return number == Math.rint(number) && Math.abs(number) < 1e15
                ? Long.toString((long) number)
                : new BigDecimal(String.format(Locale.ROOT, "%.14g", number)).stripTrailingZeros().toPlainString();
    }
}
