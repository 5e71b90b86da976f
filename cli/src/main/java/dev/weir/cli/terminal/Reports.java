package dev.weir.cli.terminal;

import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemLoopException;
import java.nio.file.NoSuchFileException;
import java.util.Locale;

import dev.weir.model.Signature;
import dev.weir.scan.HashMatch;

/** Phrases that several commands share. */
public final class Reports {

    private Reports() {}

    /** Returns a count with its noun, such as "1 hash" or "2 mails". */
    public static String count(long n, String noun) {
        return n + " " + (n == 1 ? noun : noun.endsWith("h") ? noun + "es" : noun + "s");
    }

    /** Returns the probability of a match, and whether the digest or only shingles matched. */
    public static String probability(HashMatch match) {
        String share = String.format(Locale.ROOT, "%.2f", match.probability());
        return match.exact()
                ? share + " (same digest)"
                : share + " (" + Math.round(match.probability() * Signature.SLOTS) + " of " + Signature.SLOTS
                        + " shingles)";
    }

    /** Returns the reason why a file cannot be read or written, without the file name. */
    public static String reason(IOException e) {
        return switch (e) {
            case AccessDeniedException _ -> "permission denied";
            case NoSuchFileException _ -> "there is no such file";
            case FileSystemLoopException _ -> "the link leads back to a folder above it";
            case CharacterCodingException _ -> "it is not UTF-8 text";
            default -> {
                String message = e.getMessage();
                yield message == null ? e.getClass().getSimpleName() : message;
            }
        };
    }
}
