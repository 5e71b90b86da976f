package dev.weir.scan.score;

import java.math.BigDecimal;
import java.math.RoundingMode;

/** The number format of symbol options and log lines. */
final class Decimals {
    private Decimals() {}

    /** Formats two decimals as C prints a double. Prints zero for NaN and infinity. */
    static String two(double number) {
        if (!Double.isFinite(number)) {
            return "0.00";
        }
        return new BigDecimal(number).setScale(2, RoundingMode.HALF_EVEN).toPlainString();
    }
}
