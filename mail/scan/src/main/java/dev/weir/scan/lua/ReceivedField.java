package dev.weir.scan.lua;

import java.time.DateTimeException;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The parser of a Received header that follows RFC 5321, 4.4:
 * {@code from NAME (NAME [ADDRESS]) by NAME with PROTOCOL for ADDRESS; DATE}. Missing parts are absent from the table.
 */
final class ReceivedField {
    private static final int LONGEST = 4096;
    private static final Pattern FROM = Pattern.compile("\\Afrom\\s+([^\\s;()]++)(?:\\s*+\\(([^()]{0,500}+)\\))?",
            Pattern.CASE_INSENSITIVE);
    private static final Pattern ADDRESS = Pattern.compile("\\[(?:IPv6:)?([0-9a-fA-F.:]{2,45}+)\\]");
    private static final Pattern NAME = Pattern.compile("\\A([A-Za-z0-9_.-]++)\\s");
    private static final Pattern BY = Pattern.compile("\\bby\\s+([^\\s;()]++)", Pattern.CASE_INSENSITIVE);
    private static final Pattern WITH = Pattern.compile("\\bwith\\s+([A-Za-z0-9]++)", Pattern.CASE_INSENSITIVE);
    private static final Pattern FOR = Pattern.compile("\\bfor\\s+([^\\s;()]++)", Pattern.CASE_INSENSITIVE);

    private ReceivedField() {}

    static Map<String, Object> parse(String unfolded) {
        String value = unfolded.length() > LONGEST ? unfolded.substring(0, LONGEST) : unfolded;
        Map<String, Object> table = new HashMap<>();
        table.put("raw", value);
        int semicolon = value.lastIndexOf(';');
        String clauses = semicolon < 0 ? value : value.substring(0, semicolon);
        Matcher from = FROM.matcher(clauses);
        int rest = 0;
        if (from.find()) {
            table.put("from_hostname", from.group(1));
            rest = from.end();
            String comment = from.group(2);
            if (comment != null) {
                Matcher address = ADDRESS.matcher(comment);
                if (address.find()) {
                    table.put("from_ip", address.group(1));
                    table.put("real_ip", address.group(1));
                }
                Matcher name = NAME.matcher(comment);
                if (name.find()) {
                    table.put("real_hostname", name.group(1));
                }
            }
        }
        String after = clauses.substring(rest);
        put(table, "by_hostname", BY.matcher(after), false);
        put(table, "proto", WITH.matcher(after), true);
        put(table, "for", FOR.matcher(after), false);
        String protocol = String.valueOf(table.getOrDefault("proto", ""));
        table.put("flags", Map.of("ssl", protocol.matches("(?:esmtp|lmtp|utf8smtp|https?)sa?|https"), "authenticated",
                protocol.matches("(?:esmtp|lmtp|utf8smtp)s?a"), "artificial", false));
        if (semicolon >= 0) {
            try {
                String date = value.substring(semicolon + 1).replaceAll("\\([^()]{0,100}\\)", "").strip();
                table.put("timestamp", ZonedDateTime.parse(date, DateTimeFormatter.RFC_1123_DATE_TIME).toEpochSecond());
            } catch (DateTimeException e) {
                // The date has another format: the table omits the time.
            }
        }
        return table;
    }

    private static void put(Map<String, Object> table, String name, Matcher matcher, boolean lower) {
        if (matcher.find()) {
            table.put(name, lower ? matcher.group(1).toLowerCase(Locale.ROOT) : matcher.group(1));
        }
    }
}
