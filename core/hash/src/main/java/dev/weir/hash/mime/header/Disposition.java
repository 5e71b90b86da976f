package dev.weir.hash.mime.header;

import java.nio.charset.StandardCharsets;
import java.util.Map;

import dev.weir.hash.bytes.Ascii;
import dev.weir.hash.effort.Effort;
import org.jspecify.annotations.Nullable;

/**
 * A Content-Disposition with the file name, which may also come from Content-Type
 * (docs/reference/hashing.md#header-values).
 *
 * @param attachment whether the header declares an attachment
 * @param fileName decoded file name, or null
 */
public record Disposition(boolean attachment, @Nullable String fileName) {
    /** The value for multipart containers. */
    public static final Disposition NONE = new Disposition(false, null);

    public static Disposition of(Headers headers, @Nullable ContentType type, Effort effort) {
        boolean attachment = false;
        String fileName = null;
        for (String value : headers.all("content-disposition")) {
            int end = 0;
            while (end < value.length() && "; \t(".indexOf(value.charAt(end)) < 0) {
                end++;
            }
            String kind = Ascii.lower(value.substring(0, end));
            if (kind.isEmpty()) {
                continue;
            }
            attachment = !kind.equals("inline");
            boolean list = end < value.length() && value.charAt(end) == ';';
            Map<String, String> parameters = list ? Parameters.readStrict(value, end) : Map.of();
            fileName = decoded(parameters.get("filename"), effort);
            break;
        }
        if (fileName == null && type != null) {
            String name = type.parameter("name");
            fileName = decoded(name != null ? name : type.parameter("filename"), effort);
            attachment |= fileName != null;
        }
        return new Disposition(attachment, fileName);
    }

    private static @Nullable String decoded(@Nullable String raw, Effort effort) {
        return raw == null || raw.isEmpty() ? null : new String(HeaderText.decode(raw, effort), StandardCharsets.UTF_8);
    }
}
