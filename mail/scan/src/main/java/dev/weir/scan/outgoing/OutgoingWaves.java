package dev.weir.scan.outgoing;

import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalLong;
import java.util.function.Consumer;

import dev.weir.hash.FuzzyHash;
import dev.weir.hash.kind.HashKind;
import dev.weir.model.Digest;
import dev.weir.model.KeyedHash;
import dev.weir.model.SafeText;
import dev.weir.model.Signature;
import dev.weir.model.count.RecentCounts;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The last texts of each login with their recipients. A text is the same as another one if more than 16 of 32 shingles
 * are equal, or, without shingles, if the digest is. Logins are kept as keyed hashes; only the log line of a wave names
 * one. Thread-safe.
 *
 * <p><b>Bound.</b> {@value #MOST_USERS} logins with {@value #MOST_TEXTS} texts each take 55 MB at most. The login that
 * has sent nothing for longest makes room; within a login, the text with the fewest recipients in the window does.
 */
public final class OutgoingWaves {
    private static final Logger LOG = LoggerFactory.getLogger(OutgoingWaves.class);

    /** The most logins. */
    static final int MOST_USERS = 10_000;

    /** The most texts of a login. */
    static final int MOST_TEXTS = 8;

    private static final int EQUAL_SHINGLES = 17;
    private static final int MOST_MINUTES = 60;
    private static final long MINUTE_MILLIS = 60_000;
    private static final int MOST_NAME = 200;
    private static final int NAME_DIGITS = 16;

    private final KeyedHash keyed;
    private final Consumer<String> log;
    private final Map<Long, User> users = new LinkedHashMap<>(16, 0.75f, true);
    private long mails;
    private long waves;
    private long flagged;
    private long displaced;

    /** Creates an empty table. */
    public OutgoingWaves(KeyedHash keyed) {
        this(keyed, line -> LOG.warn("{}", line));
    }

    OutgoingWaves(KeyedHash keyed, Consumer<String> log) {
        this.keyed = keyed;
        this.log = log;
    }

    private static final class User {
        final List<Text> texts = new ArrayList<>(1);
        long lastMinute;
    }

    /** A text of a login. */
    private static final class Text {
        final long digest;
        final long[] shingles;
        final RecentCounts recipients;
        boolean over;
        long loggedMinute = Long.MIN_VALUE;

        Text(long digest, long[] shingles, long minute) {
            this.digest = digest;
            this.shingles = shingles;
            this.recipients = new RecentCounts(MOST_MINUTES, minute);
        }

        boolean isSame(long otherDigest, long[] others) {
            if (shingles.length == 0 || others.length == 0) {
                return shingles.length == others.length && digest == otherDigest;
            }
            return Signature.equalSlots(shingles, others) >= EQUAL_SHINGLES;
        }
    }

    /**
     * Counts a mail of a login.
     *
     * @param ip the address that sent it, for the log
     * @param hashes the hashes of the mail; only those of text count, because every mail of a user may have a logo
     * @param recipients the number of its recipients
     * @return the recipients of the text in the window if they are too many
     */
    public OptionalLong count(OutgoingSettings settings, String user, @Nullable InetAddress ip, List<FuzzyHash> hashes,
            int recipients, long millis) {
        // One text may be there as plain text and as HTML: it counts once.
        Map<Text, String> counted = new HashMap<>();
        long most = 0;
        long minute = millis / MINUTE_MILLIS;
        long minutes = settings.window().toMinutes();
        List<String> lines = new ArrayList<>();
        synchronized (this) {
            mails++;
            User known = user(key(user), minute, minutes);
            for (FuzzyHash hash : hashes) {
                if (hash.kind() == HashKind.TEXT || hash.kind() == HashKind.SHORT_TEXT) {
                    Text text = text(known, hash, minute, minutes);
                    String name = Digest.of(hash.digest()).hex().substring(0, NAME_DIGITS);
                    if (counted.putIfAbsent(text, name) == null) {
                        text.recipients.add(Math.max(1, recipients));
                    }
                }
            }
            for (Map.Entry<Text, String> one : counted.entrySet()) {
                Text text = one.getKey();
                long sum = text.recipients.sum(minutes);
                boolean over = sum > settings.recipients();
                waves += over && !text.over ? 1 : 0;
                if (over && (!text.over || text.loggedMinute != minute)) {
                    text.loggedMinute = minute;
                    lines.add(line(user, ip, sum, settings, one.getValue()));
                }
                text.over = over;
                most = over ? Math.max(most, sum) : most;
            }
            flagged += most > 0 ? 1 : 0;
        }
        lines.forEach(log);
        return most > 0 ? OptionalLong.of(most) : OptionalLong.empty();
    }

    /** Returns the line of a wave. Its form is fixed, because programs such as fail2ban read it. */
    private static String line(String user, @Nullable InetAddress ip, long recipients, OutgoingSettings settings,
            String text) {
        return String.format(Locale.ROOT, "ip=%s user=\"%s\" recipients=%d seconds=%d text=%s",
                ip == null ? "-" : ip.getHostAddress().replaceAll("%.*", ""), quoted(user), recipients,
                settings.window().toSeconds(), text);
    }

    private static String quoted(String text) {
        StringBuilder quoted = new StringBuilder();
        String safe = SafeText.of(text.length() > MOST_NAME ? text.substring(0, MOST_NAME) : text);
        for (int i = 0; i < safe.length(); i++) {
            char c = safe.charAt(i);
            if (c == '"' || c == '\\') {
                quoted.append('\\');
            }
            quoted.append(c);
        }
        return quoted.toString();
    }

    private long key(String user) {
        // Mail servers compare logins without regard to case, or do not: either way, it is one mailbox.
        byte[] name = user.toLowerCase(Locale.ROOT).getBytes(StandardCharsets.UTF_8);
        return keyed.hash(name, 0, name.length);
    }

    private User user(long key, long minute, long minutes) {
        User user = users.computeIfAbsent(key, _ -> new User());
        user.lastMinute = Math.max(user.lastMinute, minute);
        Iterator<User> oldest = users.values().iterator();
        while (users.size() > MOST_USERS) {
            displaced += minute - oldest.next().lastMinute < minutes ? 1 : 0;
            oldest.remove();
        }
        return user;
    }

    private static Text text(User user, FuzzyHash hash, long minute, long minutes) {
        long digest = Digest.of(hash.digest()).word(0);
        long[] shingles = hash.shingles();
        user.texts.forEach(text -> text.recipients.turn(minute));
        for (Text text : user.texts) {
            if (text.isSame(digest, shingles)) {
                return text;
            }
        }
        if (user.texts.size() == MOST_TEXTS) {
            Text weakest = user.texts.getFirst();
            for (Text text : user.texts) {
                weakest = text.recipients.sum(minutes) < weakest.recipients.sum(minutes) ? text : weakest;
            }
            user.texts.remove(weakest);
        }
        Text fresh = new Text(digest, shingles, minute);
        user.texts.add(fresh);
        return fresh;
    }

    /** Returns the figures. */
    public synchronized OutgoingFigures figures() {
        return new OutgoingFigures(users.size(), mails, waves, flagged, displaced);
    }
}
