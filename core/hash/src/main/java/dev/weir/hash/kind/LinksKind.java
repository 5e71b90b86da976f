package dev.weir.hash.kind;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;

import dev.weir.hash.url.Url;
import org.jspecify.annotations.Nullable;

/**
 * The kind {@code links1}: the addresses of links, pictures and forms, without what differs from copy to copy.
 * Addresses at redirectors, mail services and brands are left out, because mails of any sender have them.
 */
final class LinksKind {
    /** Least number of different addresses. One alone would match every mail with only that one. */
    static final int LEAST = 2;
    private static final int LONGEST_WORD = 20;

    private LinksKind() {}

    /** Adds the addresses to {@code grams}. */
    static void read(List<WebAddress> addresses, long key, Grams grams) {
        for (WebAddress address : addresses) {
            String form = form(address);
            if (form == null) {
                continue;
            }
            long hash = key;
            for (int i = 0; i < form.length(); i++) {
                hash = Grams.step(hash, form.charAt(i));
            }
            if (grams.add(hash)) {
                grams.text(form);
            }
        }
    }

    /** Returns the form of an address that is compared, or null if it is left out. */
    static @Nullable String form(WebAddress address) {
        String role = address.role().name().toLowerCase(Locale.ROOT) + " ";
        Url url = address.url();
        return switch (address.site()) {
            case null -> role + url.registrableDomain() + shape(address);
            case REDIRECTOR, MAILER, BRAND -> null;
            case CLOUD_HOST -> role + url.host() + shape(address);
            case CLOUD_PATH -> role + url.host() + bucket(address.plainPath());
            case PICTURES -> role + url.host() + address.plainPath();
        };
    }

    /** Returns the path up to the first long or odd segment, which names the customer. */
    private static String bucket(String path) {
        String[] segments = path.split("/", 8);
        StringBuilder out = new StringBuilder();
        for (int i = 1; i < Math.min(segments.length, 7); i++) {
            out.append('/').append(segments[i]);
            if (segments[i].length() > 5) {
                break;
            }
        }
        return out.toString();
    }

    private static String shape(WebAddress address) {
        String path = address.path();
        StringBuilder out = new StringBuilder();
        for (String segment : address.plainPath().split("/", 12)) {
            if (!segment.isEmpty()) {
                out.append('/').append(shapeOf(segment));
            }
        }
        int query = path.indexOf('?');
        if (query >= 0) {
            int end = path.indexOf('#', query);
            out.append('?').append(String.join("&", names(path.substring(query + 1, end < 0 ? path.length() : end))));
        }
        return out.toString();
    }

    private static Set<String> names(String query) {
        Set<String> names = new TreeSet<>();
        List<String> parameters = new ArrayList<>(Arrays.asList(query.split("&", 12)));
        for (String parameter : parameters) {
            int equals = parameter.indexOf('=');
            names.add(equals < 0 ? "" : shapeOf(parameter.substring(0, equals)));
        }
        return names;
    }

    /** Returns a word as it is, and a class for what is probably random; an extension stays. */
    private static String shapeOf(String segment) {
        int dot = segment.lastIndexOf('.');
        if (dot > 0 && segment.length() - dot <= 5) {
            return shapeOf(segment.substring(0, dot)) + segment.substring(dot).toLowerCase(Locale.ROOT);
        }
        boolean digits = false;
        boolean letters = false;
        for (int i = 0; i < segment.length(); i++) {
            char c = segment.charAt(i);
            digits |= c >= '0' && c <= '9';
            letters |= (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        }
        if (digits) {
            return letters ? "x" : "9";
        }
        return segment.length() <= LONGEST_WORD ? segment.toLowerCase(Locale.ROOT) : "w";
    }
}
