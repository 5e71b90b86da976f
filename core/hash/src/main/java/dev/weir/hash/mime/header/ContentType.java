package dev.weir.hash.mime.header;

import java.util.List;
import java.util.Map;

import dev.weir.hash.bytes.Ascii;
import org.jspecify.annotations.Nullable;

/**
 * A Content-Type as Rspamd parses it (docs/reference/hashing.md#header-values).
 *
 * @param type in lower case, for example {@code text}
 * @param subtype in lower case; may be empty
 * @param parameters parameters by lower-case name
 */
public record ContentType(String type, String subtype, Map<String, String> parameters) {
    /** The type of a part without a usable Content-Type. */
    public static final ContentType TEXT_PLAIN = new ContentType("text", "plain", Map.of());

    public String mediaType() {
        return type + "/" + subtype;
    }

    public boolean isMultipart() {
        return type.equals("multipart");
    }

    /**
     * Whether the part is an embedded mail: any {@code message/*} except delivery and disposition reports, which are
     * text.
     */
    public boolean isEmbeddedMessage() {
        return type.equals("message") && !isReport();
    }

    private boolean isReport() {
        return type.equals("message") && (subtype.equals("delivery-status") || subtype.contains("notification"));
    }

    /** Whether the part is declared as text. */
    public boolean isText() {
        return type.equals("text") || isReport();
    }

    public boolean is(String mediaType) {
        int slash = type.length();
        return mediaType.length() == slash + 1 + subtype.length() && mediaType.charAt(slash) == '/'
                && mediaType.startsWith(type) && mediaType.endsWith(subtype);
    }

    public @Nullable String parameter(String name) {
        return parameters.get(name);
    }

    /** Returns the first parseable header, or the last one that is multipart; null if none is parseable. */
    public static @Nullable ContentType ofHeaders(List<String> values) {
        ContentType chosen = null;
        for (String value : values) {
            ContentType candidate = parse(value);
            if (candidate != null && (chosen == null || candidate.isMultipart())) {
                chosen = candidate;
            }
        }
        return chosen;
    }

    static @Nullable ContentType parse(String value) {
        int at = skipSpaceAndComments(value, 0);
        int start = at;
        while (at < value.length() && isToken(value.charAt(at)) && value.charAt(at) != '/') {
            at++;
        }
        String type = Ascii.lower(value.substring(start, at));
        if (type.isEmpty()) {
            return null;
        }
        String subtype = null;
        if (at < value.length() && value.charAt(at) == '/') {
            start = ++at;
            while (at < value.length() && isToken(value.charAt(at))) {
                at++;
            }
            subtype = Ascii.lower(value.substring(start, at));
        }
        if (subtype == null || subtype.isEmpty()) {
            switch (type) {
                case "html" -> {
                    type = "text";
                    subtype = "html";
                }
                case "application" -> subtype = "octet-stream";
                default -> subtype = "";
            }
        }
        if (type.equals("multipart") && subtype.equals("alternate")) {
            subtype = "alternative";
        }
        return new ContentType(type, subtype, Parameters.read(value, at));
    }

    private static boolean isToken(char c) {
        return c != ';' && c != '(' && !Ascii.isSpace(c);
    }

    private static int skipSpaceAndComments(String value, int from) {
        int at = from;
        while (at < value.length()) {
            if (Ascii.isSpace(value.charAt(at))) {
                at++;
            } else if (value.charAt(at) == '(') {
                at = Parameters.endOfComment(value, at);
            } else {
                break;
            }
        }
        return at;
    }
}
