package dev.weir.hash.mime;

import java.util.ArrayList;
import java.util.List;

import dev.weir.hash.bytes.Ascii;
import dev.weir.hash.effort.Effort;
import dev.weir.hash.mime.content.ContentDetector;
import dev.weir.hash.mime.content.DetectedType;
import dev.weir.hash.mime.header.ContentType;
import dev.weir.hash.mime.header.HeaderEnd;
import dev.weir.hash.mime.header.HeaderText;
import dev.weir.hash.mime.header.Headers;
import org.jspecify.annotations.Nullable;

/**
 * The parser that splits a mail into its parts (docs/reference/hashing.md#raw-input). It visits every byte a bounded
 * number of times: it finds all delimiters in one pass, limits nesting, and decodes an embedded mail once.
 */
public final class MimeReader {
    /** Maximum size of a mail in bytes. Larger mails are not read. */
    public static final int MAXIMUM_SIZE = 50 * 1024 * 1024;
    private static final int MAXIMUM_PARTS = 10_000;
    private static final int MAXIMUM_NESTING = 64;
    /** A header name within this many bytes counts when a mail consists of headers only. */
    private static final int HEADER_LOOK = 76;

    /** Fixed costs of a part and of a delimiter in addition to their bytes, in units of {@link Effort#spend}. */
    private static final int STEPS_A_PART = 2_000;
    private static final int STEPS_A_DELIMITER = 32;

    /**
     * Bytes of embedded mails that may still be opened. The limit keeps nesting from multiplying a large mail by 64.
     */
    private long embeddedLeft = 4L * MAXIMUM_SIZE;
    private final List<PartNode> nodes = new ArrayList<>();

    private final Effort effort;

    private MimeReader(Effort effort) {
        this.effort = effort;
    }

    /** Reads a mail without a time limit; see {@link #read(byte[], Effort)}. */
    public static MimeMessage read(byte[] mail) {
        return read(mail, Effort.unlimited());
    }

    /**
     * Reads the parts and the subject of a mail. A mail larger than {@link #MAXIMUM_SIZE} has no parts.
     *
     * @param effort remaining budget of the mail
     * @throws dev.weir.hash.effort.NotHashedException if the mail exceeds it
     */
    public static MimeMessage read(byte[] mail, Effort effort) {
        if (mail.length > MAXIMUM_SIZE) {
            return new MimeMessage(List.of(), null, null);
        }
        MimeReader reader = new MimeReader(effort);
        Headers headers = reader.message(mail, startOf(mail), null, 0);
        List<MimePart> parts = new ArrayList<>(reader.nodes.size());
        for (PartNode node : reader.nodes) {
            effort.spend(STEPS_A_PART);
            node.classify();
            parts.add(new MimePart(parts.size(), node));
        }
        String subject = headers.first("subject");
        return new MimeMessage(parts, subject == null ? null : HeaderText.decode(subject, effort),
                Alternative.last(reader.nodes, effort));
    }

    /** The bytes of a mail and the delimiters in its body. */
    private static final class Buffer {
        final byte[] data;
        final Boundaries boundaries;
        /** Position up to which multiparts claimed the delimiters; -1 if one of them found none of its own. */
        int claimed;

        Buffer(byte[] data, int bodyStart, int claimed) {
            this.data = data;
            this.boundaries = new Boundaries(data, bodyStart);
            this.claimed = claimed;
        }
    }

    /** Skips leading white space and an mbox {@code From } line. */
    private static int startOf(byte[] mail) {
        int at = skipSpace(mail, 0);
        if (Ascii.text(mail, at, Math.min(mail.length, at + 5)).equals("From ")) {
            while (at < mail.length && mail[at] != '\n') {
                at++;
            }
            at = skipSpace(mail, at);
        }
        return at;
    }

    private static int skipSpace(byte[] data, int from) {
        int at = from;
        while (at < data.length && Ascii.isSpace(data[at])) {
            at++;
        }
        return at;
    }

    /**
     * Reads a whole mail, outer or embedded, including the parts that no multipart claims.
     *
     * @return its headers
     */
    private Headers message(byte[] data, int start, @Nullable PartNode parent, int depth) {
        effort.spend(data.length);
        int bodyStart = HeaderEnd.find(data, start, data.length);
        int headersEnd = bodyStart;
        if (bodyStart < 0) {
            boolean onlyHeaders = parent == null && looksLikeHeader(data, start);
            bodyStart = onlyHeaders ? data.length : start;
            headersEnd = bodyStart;
        }
        Headers headers = Headers.read(data, start, headersEnd);
        ContentType declared = ContentType.ofHeaders(headers.all("content-type"));
        PartNode node = new PartNode(parent, headers, declared, effort);
        node.declaredText = node.type.isText();
        boolean delimited = node.type.isMultipart() || node.type.isEmbeddedMessage();
        Buffer buffer = new Buffer(data, delimited ? bodyStart : data.length, parent == null ? bodyStart : 0);
        entity(buffer, node, bodyStart, data.length, depth);
        leftovers(buffer, node, depth);
        return headers;
    }

    private static boolean looksLikeHeader(byte[] data, int from) {
        int limit = Math.min(data.length, from + HEADER_LOOK);
        int at = from;
        while (at < limit && data[at] > ' ' && data[at] < 127 && data[at] != ':') {
            at++;
        }
        return at > from && at < limit && data[at] == ':';
    }

    /** Reads the body [from, to) of a part whose headers are known. */
    private void entity(Buffer buffer, PartNode node, int from, int to, int depth) {
        if (nodes.size() >= MAXIMUM_PARTS) {
            return;
        }
        nodes.add(node);
        effort.spend(to - from);
        if (node.type.isMultipart()) {
            if (depth < MAXIMUM_NESTING) {
                multipart(buffer, node, from, to, depth);
            }
            return;
        }
        node.body = node.encoding.decode(buffer.data, from, to);
        node.detected = ContentDetector.detect(node.body, node.type, node.disposition.fileName(), node.isEncrypted());
        boolean embedded = node.type.isEmbeddedMessage() || DetectedType.is(node.detected, "eml");
        if (embedded) {
            node.message = true;
            if (depth < MAXIMUM_NESTING && node.body.length <= embeddedLeft) {
                embeddedLeft -= node.body.length;
                message(node.body, 0, node, depth + 1);
            }
        }
    }

    /** Reads the parts between the delimiters of a multipart. Without a closing one, the last part ends with it. */
    private void multipart(Buffer buffer, PartNode node, int from, int to, int depth) {
        Boundaries candidates = buffer.boundaries;
        buffer.claimed = from;
        int count = candidates.count();
        int index = candidates.firstAt(from);
        String parameter = node.type.parameter("boundary");
        if (parameter == null || parameter.isEmpty()) {
            if (index >= count) {
                return;
            }
            parameter = candidates.text(index);
        }
        String boundary = Ascii.lower(parameter);
        int open = -1;
        for (; index < count && candidates.start(index) <= to; index++) {
            effort.spend(STEPS_A_DELIMITER);
            if (!candidates.names(index, boundary)) {
                continue;
            }
            int start = candidates.start(index);
            if (open >= 0 && open < start) {
                child(buffer, node, open, start, depth);
            }
            if (open < start) {
                open = candidates.contentStart(index);
                buffer.claimed = open;
            }
            // What follows a closing delimiter is a part only if the next delimiter belongs to this multipart, too.
            if (candidates.take(index, boundary)
                    && !(index + 1 < count && candidates.names(index + 1, boundary))) {
                return;
            }
        }
        if (open < 0) {
            buffer.claimed = -1;
        } else {
            child(buffer, node, open, to, depth);
        }
    }

    private void child(Buffer buffer, PartNode parent, int from, int to, int depth) {
        if (from >= to) {
            return;
        }
        effort.spend(STEPS_A_PART);
        byte[] data = buffer.data;
        int bodyStart = from;
        Headers headers = Headers.NONE;
        if (!Ascii.isBreak(data[from])) {
            int end = HeaderEnd.find(data, from, to);
            if (end >= 0) {
                headers = Headers.read(data, from, end);
                bodyStart = end;
            }
        }
        ContentType declared = ContentType.ofHeaders(headers.all("content-type"));
        PartNode node = new PartNode(parent, headers, declared, effort);
        node.declaredText = declared != null && declared.isText();
        entity(buffer, node, bodyStart, to, depth + 1);
    }

    /** Reads the parts after delimiters that no multipart claimed, up to one without content. */
    private void leftovers(Buffer buffer, PartNode parent, int depth) {
        Boundaries candidates = buffer.boundaries;
        int claimed = buffer.claimed;
        for (int index = 0; index < candidates.count() && depth < MAXIMUM_NESTING; index++) {
            effort.spend(STEPS_A_DELIMITER);
            int from = candidates.contentStart(index);
            if (from <= claimed || candidates.isClosing(index)) {
                continue;
            }
            int to = index + 1 < candidates.count() ? candidates.start(index + 1) : buffer.data.length;
            if (from >= to) {
                continue;
            }
            if (Ascii.isBreak(buffer.data[from]) && isBlankish(buffer.data, from, to)) {
                return;
            }
            int number = nodes.size();
            child(buffer, parent, from, to, depth);
            if (number < nodes.size()) {
                nodes.get(number).leaveParent();
            }
        }
    }

    private static boolean isBlankish(byte[] data, int from, int to) {
        for (int i = from; i < to; i++) {
            if (Ascii.isAlphanumeric(data[i])) {
                return false;
            }
        }
        return true;
    }
}
