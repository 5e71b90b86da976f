package dev.weir.storage;

import java.nio.charset.StandardCharsets;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * The submitter of the mail behind an update, as reported by the scanner, for the audit trail.
 *
 * <p>The texts come from clients: control characters are replaced by spaces, and long texts are truncated.
 *
 * @param client the address of the HTTP client; behind a trusted proxy, the address that the proxy reports
 * @param credential what authorized the request: the option name of a password, or the trusted network
 * @param user the user name in the request
 * @param messageId the Message-ID of the mail, without angle brackets
 */
public record UpdateSubmitter(String client, String credential, String user, String messageId) {
    private static final int CLIENT_BYTES = 64;
    private static final int CREDENTIAL_BYTES = 32;
    private static final int USER_BYTES = 96;
    private static final int MESSAGE_ID_BYTES = 184;
    private static final char SEPARATOR = '\n';
    private static final int TEXTS = 4;

    /** What the credential of an undo begins with; the revision that it takes back follows. */
    public static final String UNDO = "undo of ";

    /** The maximum length of {@link #toBytes}. */
    public static final int MAX_BYTES = CLIENT_BYTES + CREDENTIAL_BYTES + USER_BYTES + MESSAGE_ID_BYTES + TEXTS - 1;

    /** Cleans and truncates the texts. */
    public UpdateSubmitter {
        client = clean(client, CLIENT_BYTES);
        credential = clean(credential, CREDENTIAL_BYTES);
        user = clean(user, USER_BYTES);
        messageId = clean(messageId, MESSAGE_ID_BYTES);
    }

    private static String clean(String text, int most) {
        StringBuilder clean = new StringBuilder();
        int bytes = 0;
        for (int i = 0; i < text.length();) {
            int point = text.codePointAt(i);
            i += Character.charCount(point);
            if (Character.isISOControl(point) || point == 0x2028 || point == 0x2029) {
                point = ' ';
            } else if (point >= Character.MIN_SURROGATE && point <= Character.MAX_SURROGATE) {
                // An unpaired surrogate cannot be encoded in UTF-8.
                point = 0xfffd;
            }
            bytes += point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
            if (bytes > most) {
                break;
            }
            clean.appendCodePoint(point);
        }
        return clean.toString();
    }

    /** Returns whether an operator takes back what others changed. */
    public boolean isUndo() {
        return credential.startsWith(UNDO);
    }

    /** Returns the client with what authorized it and, if known, its user: a text for the log. */
    public String description() {
        return client + " (" + credential + (user.isEmpty() ? "" : ", user " + user) + ")";
    }

    /** Encodes the texts in at most {@value #MAX_BYTES} bytes. */
    public byte[] toBytes() {
        return String.join(String.valueOf(SEPARATOR), client, credential, user, messageId)
                .getBytes(StandardCharsets.UTF_8);
    }

    /** Decodes the result of {@link #toBytes}, or returns null if the bytes are malformed. */
    public static @Nullable UpdateSubmitter read(byte[] bytes) {
        List<String> texts = List.of(new String(bytes, StandardCharsets.UTF_8).split(String.valueOf(SEPARATOR), -1));
        return texts.size() == TEXTS
                ? new UpdateSubmitter(texts.get(0), texts.get(1), texts.get(2), texts.get(3))
                : null;
    }
}
