package dev.weir.scan;

import dev.weir.wire.reply.ErrorCode;
import dev.weir.wire.reply.Reply;

/** The meanings of a storage's error codes, in words. */
final class Refusals {
    private Refusals() {}

    /**
     * Returns the error code of a reply to a check, or 0 if the storage checked the hash. A hash on its skip list
     * counts as unknown.
     */
    static int ofCheck(Reply reply) {
        return reply.isMatch(1) || reply.value() == ErrorCode.SKIPPED ? 0 : reply.value();
    }

    static String describe(int code) {
        return switch (code) {
            case ErrorCode.WRONG_SHINGLES -> "a command has 32 shingles or none (400)";
            case ErrorCode.UNKNOWN_COMMAND -> "it does not know this command (501)";
            case ErrorCode.SKIPPED -> "the hash is on its skip list (401)";
            case ErrorCode.RATE_LIMITED -> "rate limit, or not allowed for this client or without encryption (403)";
            case ErrorCode.ENCRYPTION_REQUIRED -> "it answers only encrypted requests (415): give its public key";
            case ErrorCode.INTERNAL -> "the update could not be stored now (500)";
            case ErrorCode.FORBIDDEN -> "not allowed for this client (503)";
            case ErrorCode.UNCONFIRMED -> "stored, but not enough other nodes confirmed it in time (504)";
            default -> "error " + code;
        };
    }
}
