package dev.weir.config.map;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The place of a list outside the configuration (docs/reference/configuration-language.md#maps): a file or an address
 * on a web server, and whether a key must have signed its content.
 *
 * @param location the name of a file, or an address with {@code http://} or {@code https://}
 * @param signed whether the content counts only with a valid signature
 * @param key the public key of the signature in Rspamd's base32 or in 64 hexadecimal digits; empty if any trusted key
 * may have signed
 */
public record MapAddress(String location, boolean signed, Optional<String> key) {
    private static final Pattern WORD = Pattern
            .compile("^(?:(?<file>file://(?=.))|(?=/|\\./|https?://.)).*", Pattern.CASE_INSENSITIVE);
    private static final Pattern SIGNED = Pattern.compile(
            "^sign\\+(?:key=(?<key>[0-9a-f]{64}(?=[+:/])|[a-z0-9]+(?=\\+))[+:]?)?(?<rest>.+)",
            Pattern.CASE_INSENSITIVE);

    /** Reads an address; empty if the text is none, such as a network. */
    public static Optional<MapAddress> parse(String text) {
        Matcher signature = SIGNED.matcher(text);
        boolean signed = signature.matches();
        String rest = signed ? signature.group("rest") : text;
        Matcher word = WORD.matcher(rest);
        if (!word.matches()) {
            return Optional.empty();
        }
        String file = word.group("file");
        return Optional.of(new MapAddress(file == null ? rest : rest.substring(file.length()), signed,
                signed ? Optional.ofNullable(signature.group("key")) : Optional.empty()));
    }

    /** Returns whether the list is on a web server. */
    public boolean isRemote() {
        return location.regionMatches(true, 0, "http", 0, "http".length());
    }
}
