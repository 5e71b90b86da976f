package dev.weir.trap.report;

import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.apache.james.mime4j.codec.DecodeMonitor;
import org.apache.james.mime4j.codec.DecoderUtil;

/**
 * The file name of a part, from Content-Disposition and Content-Type: plain, in quotes, as an encoded word, or in the
 * pieces of RFC 2231. Only its end matters, so percent escapes stay.
 */
final class AttachmentName {
    private static final int LONGEST_FIELD = 4096;
    private static final Pattern PARAMETER = Pattern
            .compile(";\\s{0,64}(?:file)?name(?:\\*\\d{1,2})?\\*?\\s{0,64}=\\s{0,64}(?:\"([^\"]*)\"|([^;\\s]+))",
                    Pattern.CASE_INSENSITIVE);

    private String name = "";

    /** Notes a field of the part. */
    void see(String field, String body) {
        boolean names = field.equalsIgnoreCase("Content-Disposition") || field.equalsIgnoreCase("Content-Type");
        if (!names || body.length() > LONGEST_FIELD) {
            return;
        }
        StringBuilder found = new StringBuilder();
        for (Matcher parameter = PARAMETER.matcher(body); parameter.find();) {
            found.append(parameter.group(1) == null ? parameter.group(2) : parameter.group(1));
        }
        if (!found.isEmpty() && (name.isEmpty() || field.equalsIgnoreCase("Content-Disposition"))) {
            name = DecoderUtil.decodeEncodedWords(found.toString(), DecodeMonitor.SILENT, StandardCharsets.UTF_8);
        }
    }

    boolean isPresent() {
        return !name.isBlank();
    }

    boolean endsWith(String end) {
        return name.strip().toLowerCase(Locale.ROOT).endsWith(end);
    }
}
