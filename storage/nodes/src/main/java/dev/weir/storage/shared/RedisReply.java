package dev.weir.storage.shared;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

import dev.weir.storage.StorageException;
import org.jspecify.annotations.Nullable;

/**
 * A reply of Redis, read with checks, because another program may have written what is there.
 *
 * @param value a number, bytes, a list of replies, or null
 */
record RedisReply(@Nullable Object value) {
    private static final int MAX_DIGITS = 18;

    static RedisReply of(@Nullable Object value) {
        return new RedisReply(value);
    }

    /** Returns the items of a list. */
    List<RedisReply> items() throws StorageException {
        if (!(value instanceof List<?> list)) {
            throw unexpected("a list");
        }
        List<RedisReply> items = new ArrayList<>(list.size());
        for (Object item : list) {
            items.add(new RedisReply(item));
        }
        return items;
    }

    /** Returns an item of a list. */
    RedisReply at(int place) throws StorageException {
        if (!(value instanceof List<?> list)) {
            throw unexpected("a list");
        }
        if (place >= list.size()) {
            throw new StorageException("the shared Redis answers a list of " + list.size() + " items instead of at "
                    + "least "
                    + (place + 1));
        }
        return new RedisReply(list.get(place));
    }

    /** Returns bytes. */
    byte[] bytes() throws StorageException {
        if (value instanceof byte[] bytes) {
            return bytes;
        }
        throw unexpected("bytes");
    }

    /** Returns text; that of a number has its digits. */
    String text() throws StorageException {
        return value instanceof Long number ? number.toString() : new String(bytes(), StandardCharsets.UTF_8);
    }

    /** Returns a whole number of at most 18 digits, which may be a text. */
    long number() throws StorageException {
        return value instanceof Long number ? number : number(text());
    }

    /** Returns the first number of the name of an entry in a stream, such as {@code 15-1}. */
    long entryNumber() throws StorageException {
        String name = text();
        int dash = name.indexOf('-', 1);
        return number(dash < 0 ? name : name.substring(0, dash));
    }

    private long number(String digits) throws StorageException {
        if (digits.length() <= MAX_DIGITS) {
            try {
                return Long.parseLong(digits);
            } catch (NumberFormatException e) {
                throw unexpected("a number", e);
            }
        }
        throw unexpected("a number");
    }

    private StorageException unexpected(String wanted) {
        return new StorageException(message(wanted));
    }

    private StorageException unexpected(String wanted, Exception cause) {
        return new StorageException(message(wanted), cause);
    }

    private String message(String wanted) {
        return "the shared Redis answers " + switch (value) {
            case null -> "nothing";
            case byte[] bytes -> bytes.length + " bytes";
            case List<?> list -> "a list of " + list.size() + " items";
            case Long number -> "the number " + number;
            default -> "something else";
        } + " instead of " + wanted + ", so another program writes there, or it is not Redis";
    }
}
