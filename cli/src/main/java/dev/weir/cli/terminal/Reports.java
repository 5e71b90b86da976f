package dev.weir.cli.terminal;

import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemLoopException;
import java.nio.file.NoSuchFileException;
import java.util.Locale;

import dev.weir.model.Signature;
import dev.weir.scan.HashMatch;

/** Words that several commands print the same way. */
public final class Reports {

    private Reports() {}

    /** "1 hash", "2 hashes", "1 mail", "2 mails". */
    public static String count(long n, String noun) {
        return n + " " + (n == 1 ? noun : noun.endsWith("h") ? noun + "es" : noun + "s");
    }

    /** "1.00", or "0.97 (31 of 32)" where the digest is another one. */
    public static String probability(HashMatch match) {
        String share = String.format(Locale.ROOT, "%.2f", match.probability());
        return match.exact()
                ? share + " (same digest)"
                : share + " (" + Math.round(match.probability() * Signature.SLOTS) + " of " + Signature.SLOTS
                        + " shingles)";
    }

    /** Why a file could not be read, without its name. */
    public static String reason(IOException e) {
        return switch (e) {
            case AccessDeniedException _ -> "permission denied";
            case NoSuchFileException _ -> "there is no such file";
            case FileSystemLoopException _ -> "the link leads back to a folder above it";
            case CharacterCodingException _ -> "it is no text";
            default -> {
                String message = e.getMessage();
                yield message == null ? e.getClass().getSimpleName() : message;
            }
        };
    }
}
