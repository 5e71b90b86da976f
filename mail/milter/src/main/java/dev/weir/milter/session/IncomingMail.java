package dev.weir.milter.session;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

import dev.weir.http.message.BodyBudget;
import dev.weir.http.message.HttpException;

/**
 * A mail while it arrives: its bytes up to a limit, its envelope, and what a decision needs to know about its header.
 * For one thread; close it when the mail is decided or given up.
 */
final class IncomingMail implements AutoCloseable {
    /** More recipients of one mail are left out of its description. */
    private static final int MAX_RECIPIENTS = 1000;
    /** The memory of a text beside its characters. */
    private static final int OVERHEAD = 64;
    private static final int FIRST_SIZE = 4096;

    private final int mostBytes;
    private final BodyBudget.Share share;
    private final String sender;
    private final List<String> recipients = new ArrayList<>();
    private final Set<String> watched;
    private final Map<String, Integer> fields = new HashMap<>();
    private Optional<String> subject = Optional.empty();
    private Optional<Shortfall> shortfall = Optional.empty();
    private byte[] bytes = new byte[0];
    private int length;

    /**
     * Creates an empty mail.
     *
     * @param sender the address without angle brackets
     * @param watched the names of the fields to count, in lower case
     * @param mostBytes the largest size
     * @param share the memory for its bytes
     */
    IncomingMail(String sender, Set<String> watched, int mostBytes, BodyBudget.Share share) {
        this.sender = EnvelopeText.address(sender);
        this.watched = Set.copyOf(watched);
        this.mostBytes = mostBytes;
        this.share = share;
    }

    void recipient(String address) {
        if (recipients.size() < MAX_RECIPIENTS && takes(address)) {
            recipients.add(EnvelopeText.address(address));
        }
    }

    /** Adds a header field. The value begins behind the colon. Its folds may end in a line feed alone. */
    void field(String name, String value) {
        String lower = name.toLowerCase(Locale.ROOT);
        if (watched.contains(lower)) {
            fields.merge(lower, 1, Integer::sum);
        }
        if (lower.equals("subject") && subject.isEmpty() && takes(value)) {
            subject = Optional.of(value);
        }
        append((name + ":" + value.replace("\r\n", "\n").replace("\n", "\r\n") + "\r\n")
                .getBytes(StandardCharsets.ISO_8859_1));
    }

    /** Reserves the memory of a text. If there is none, the mail is dropped. */
    private boolean takes(String text) {
        if (shortfall.isPresent()) {
            return false;
        }
        try {
            share.take(text.length() + OVERHEAD);
            return true;
        } catch (HttpException e) {
            drop(Shortfall.OVERLOADED);
            return false;
        }
    }

    void endOfHeader() {
        append(new byte[]{'\r', '\n'});
    }

    void append(byte[] more) {
        append(ByteBuffer.wrap(more));
    }

    /** Adds bytes, unless there are too many: then all of them are dropped. */
    void append(ByteBuffer more) {
        if (shortfall.isPresent()) {
            return;
        }
        int size = more.remaining();
        if (size > mostBytes - length) {
            drop(Shortfall.TOO_LARGE);
            return;
        }
        try {
            if (length + size > bytes.length) {
                int grown = (int) Math.min(Math.max(Math.max(2L * bytes.length, FIRST_SIZE), (long) length + size),
                        mostBytes);
                share.take(grown - bytes.length);
                bytes = Arrays.copyOf(bytes, grown);
            }
        } catch (HttpException e) {
            drop(Shortfall.OVERLOADED);
            return;
        }
        more.get(bytes, length, size);
        length += size;
    }

    private void drop(Shortfall why) {
        shortfall = Optional.of(why);
        bytes = new byte[0];
        length = 0;
        recipients.clear();
        subject = Optional.empty();
        share.close();
    }

    /** Returns why the bytes were dropped; empty if they are complete so far. */
    Optional<Shortfall> shortfall() {
        return shortfall;
    }

    /** Returns the bytes so far, without a copy if none is needed. */
    byte[] bytes() {
        return length == bytes.length ? bytes : Arrays.copyOf(bytes, length);
    }

    String sender() {
        return sender;
    }

    List<String> recipients() {
        return List.copyOf(recipients);
    }

    /** Returns the value of the first subject as it arrived. */
    Optional<String> subject() {
        return subject;
    }

    /** Returns the number of fields with a watched name. */
    int count(String name) {
        return fields.getOrDefault(name.toLowerCase(Locale.ROOT), 0);
    }

    @Override
    public void close() {
        share.close();
    }
}
