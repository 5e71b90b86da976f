package dev.weir.storage.trail;

import java.net.InetAddress;
import java.util.HexFormat;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalInt;

import dev.weir.model.Network;
import dev.weir.model.Update;
import dev.weir.storage.UpdateSubmitter;
import dev.weir.storage.log.LoggedUpdate;
import dev.weir.storage.log.RecordFilter;
import dev.weir.storage.view.AuditQuery;
import dev.weir.wire.key.Base32;
import org.jspecify.annotations.Nullable;

/**
 * Conditions on changes in the audit trail. A change must satisfy all of them.
 *
 * @param after the last revision to skip; -1 to skip none
 * @param upTo the last revision to select
 * @param since the first time of acceptance, in milliseconds since 1970
 * @param until the end of the times of acceptance, in milliseconds since 1970; not selected itself
 * @param from the network of the sender, or of the HTTP client that submitted the mail; empty for all
 * @param user the user who submitted the mail; empty for all
 * @param mail the Message-ID of the mail without angle brackets; empty for all
 * @param key the beginning of the key that the request was encrypted for, in base 32; empty for all
 * @param flag the list; empty for all
 * @param digest the beginning of the digest, in lower-case hexadecimal digits; empty for all
 */
public record TrailFilter(long after, long upTo, long since, long until, Optional<Network> from, Optional<String> user,
        Optional<String> mail, Optional<String> key, OptionalInt flag, String digest) {
    /** Bytes of a key in its name in statistics and in {@code weir log}. */
    private static final int NAME_BYTES = 8;

    /** So many characters of base 32 are whole bytes. */
    private static final int GROUP = 8;

    /** All changes. */
    public static final TrailFilter ALL = new TrailFilter(-1, Long.MAX_VALUE, Long.MIN_VALUE, Long.MAX_VALUE,
            Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty(), OptionalInt.empty(), "");

    /** Removes the angle brackets of the Message-ID. */
    public TrailFilter {
        mail = mail.map(TrailFilter::bare);
        key = key.map(text -> text.toLowerCase(Locale.ROOT));
    }

    private static String bare(String messageId) {
        return messageId.startsWith("<") && messageId.endsWith(">")
                ? messageId.substring(1, messageId.length() - 1)
                : messageId;
    }

    /** Returns a copy for changes up to a revision. */
    public TrailFilter withUpTo(long revision) {
        return new TrailFilter(after, revision, since, until, from, user, mail, key, flag, digest);
    }

    /** Returns all changes of one mail. */
    public static TrailFilter ofMail(String messageId) {
        return new TrailFilter(-1, Long.MAX_VALUE, Long.MIN_VALUE, Long.MAX_VALUE, Optional.empty(), Optional.empty(),
                Optional.of(messageId), Optional.empty(), OptionalInt.empty(), "");
    }

    /** Returns all changes of the digests with a beginning. */
    public static TrailFilter ofDigest(String prefix) {
        return new TrailFilter(-1, Long.MAX_VALUE, Long.MIN_VALUE, Long.MAX_VALUE, Optional.empty(), Optional.empty(),
                Optional.empty(), Optional.empty(), OptionalInt.empty(), prefix);
    }

    /** Returns whether the conditions select who brought a change or when, not only which hash or list. */
    public boolean namesOrigin() {
        return from.isPresent() || user.isPresent() || mail.isPresent() || key.isPresent() || since != Long.MIN_VALUE
                || until != Long.MAX_VALUE || after >= 0;
    }

    /** Returns whether a change satisfies all conditions. */
    public boolean matches(LoggedUpdate logged) {
        UpdateSubmitter submission = logged.origin().submission();
        return logged.revision() > after && logged.revision() <= upTo
                && (digest.isEmpty() || logged.update().digest().hex().startsWith(digest))
                && logged.millis() >= since && logged.millis() < until
                && (flag.isEmpty() || isAbout(logged.update(), flag.getAsInt()))
                && (user.isEmpty() || (submission != null && user.get().equals(submission.user())))
                && (mail.isEmpty() || (submission != null && mail.get().equals(submission.messageId())))
                && (key.isEmpty() || isFor(key.get(), logged.origin().key()))
                && (from.isEmpty() || isFrom(from.get(), logged));
    }

    /** Returns the conditions that a database can check, for changes below a revision. */
    public AuditQuery query(long before) {
        return new AuditQuery(after, Math.min(before, upTo == Long.MAX_VALUE ? upTo : upTo + 1), since, until, digest,
                from, user, mail, key.flatMap(TrailFilter::firstBytes));
    }

    /** Returns the conditions that need no decoding of a record. */
    RecordFilter ofRecords() {
        boolean ofMails = user.isPresent() || mail.isPresent();
        int digits = Math.min(digest.length(), 2 * Long.BYTES);
        int rest = 4 * (2 * Long.BYTES - digits);
        long wanted = digits == 0 ? 0 : HexFormat.fromHexDigitsToLong(digest.substring(0, digits)) << rest;
        long mask = digits == 0 ? 0 : -1L << rest;
        return (word, millis, submitted) -> millis >= since && millis < until && (submitted || !ofMails)
                && (Long.reverseBytes(word) & mask) == wanted;
    }

    /** Returns the bytes that the beginning of a key determines; empty if there is none, or it is no key. */
    private static Optional<String> firstBytes(String beginning) {
        return Base32.decode(beginning.substring(0, beginning.length() / GROUP * GROUP))
                .filter(bytes -> bytes.length > 0).map(HexFormat.of()::formatHex);
    }

    private static boolean isFor(String beginning, byte @Nullable [] key) {
        if (key == null) {
            return false;
        }
        // The last character of a short name has fewer bits than the same place of a longer one.
        return Base32.encode(key, 0, key.length).startsWith(beginning)
                || Base32.encode(key, 0, NAME_BYTES).startsWith(beginning);
    }

    private static boolean isFrom(Network network, LoggedUpdate logged) {
        UpdateSubmitter submission = logged.origin().submission();
        return (logged.origin().address() != null && network.contains(logged.origin().address()))
                || (submission != null && isLiteral(submission.client())
                        && network.contains(InetAddress.ofLiteral(submission.client())));
    }

    /** Returns whether a text of a client is an address. */
    private static boolean isLiteral(String address) {
        try {
            InetAddress.ofLiteral(address);
            return true;
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    private static boolean isAbout(Update update, int list) {
        return switch (update) {
            case Update.Write write -> write.flag() == list;
            case Update.Delete delete -> delete.flag() == list;
            case Update.Expire expire -> expire.flag() == list;
            case Update.DeleteAll _ -> true;
            case Update.Refresh _ -> false;
        };
    }
}
