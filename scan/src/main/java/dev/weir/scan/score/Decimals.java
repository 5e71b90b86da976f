package dev.weir.scan.score;

import java.math.BigDecimal;
import java.math.RoundingMode;

/** Numbers as options and log lines have them. */
final class Decimals {
    private Decimals() {}

    /** Two decimals, as C prints a double; zero for what is no number. */
    static String two(double number) {
        if (!Double.isFinite(number)) {
            return "0.00";
        }
        return new BigDecimal(number).setScale(2, RoundingMode.HALF_EVEN).toPlainString();
    }
}
