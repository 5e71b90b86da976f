package dev.weir.http.message;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Percent escapes and queries (RFC 3986, 2.1 and 3.4). As in Rspamd, broken escapes stay as they are. */
final class Percent {
    private Percent() {}

    /** Decodes escapes; the bytes are UTF-8. */
    static String decode(String text, boolean plusIsBlank) {
        if (text.indexOf('%') < 0 && !(plusIsBlank && text.indexOf('+') >= 0)) {
            return text;
        }
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        ByteArrayOutputStream out = new ByteArrayOutputStream(bytes.length);
        for (int i = 0; i < bytes.length; i++) {
            int high = i + 2 < bytes.length && bytes[i] == '%' ? Character.digit(bytes[i + 1], 16) : -1;
            int low = high >= 0 ? Character.digit(bytes[i + 2], 16) : -1;
            if (low >= 0) {
                out.write(high << 4 | low);
                i += 2;
            } else {
                out.write(plusIsBlank && bytes[i] == '+' ? ' ' : bytes[i]);
            }
        }
        return out.toString(StandardCharsets.UTF_8);
    }

    /** Returns the arguments of a query, up to a maximum number. An argument without {@code =} has an empty value. */
    static HttpHeaders query(String query, int most) {
        List<HttpHeaders.Field> fields = new ArrayList<>();
        int start = 0;
        while (start <= query.length() && fields.size() < most) {
            int end = query.indexOf('&', start);
            end = end < 0 ? query.length() : end;
            int equals = query.indexOf('=', start);
            if (end > start) {
                int nameEnd = equals >= start && equals < end ? equals : end;
                String value = nameEnd < end ? query.substring(nameEnd + 1, end) : "";
                fields.add(new HttpHeaders.Field(
                        decode(query.substring(start, nameEnd), true).toLowerCase(Locale.ROOT), decode(value, true)));
            }
            start = end + 1;
        }
        return new HttpHeaders(fields);
    }
}
