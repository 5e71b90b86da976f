package dev.weir.http.access;

import java.util.List;
import java.util.Locale;
import java.util.Set;

import dev.weir.http.message.HttpHead;
import dev.weir.http.message.HttpHeaders;

/**
 * The check that keeps a browser on a trusted machine from acting for a page of another site. Other programs send none
 * of the headers that this class inspects, or arbitrary ones; a browser sends them and does not let a page forge them.
 */
public final class CrossSiteCheck {
    private static final Set<String> OWN = Set.of("none", "same-origin");
    /** Headers of Rspamd's clients; a page cannot add them to a request for another site without asking that site. */
    private static final List<String> CLIENTS = List.of("flag", "symbol", "hash", "filename", "password");

    private CrossSiteCheck() {}

    /** Returns whether a page of another site sent the request. */
    static boolean isForeign(HttpHead head) {
        return isForeign(head.outer()) || isForeign(head.headers());
    }

    private static boolean isForeign(HttpHeaders headers) {
        List<String> sites = headers.all("sec-fetch-site");
        if (!sites.isEmpty()) {
            return sites.stream().anyMatch(site -> !OWN.contains(site.toLowerCase(Locale.ROOT)));
        }
        // Browsers send the site only over connections that no third party can change.
        String host = headers.first("host").orElse("");
        return headers.all("origin").stream()
                .anyMatch(origin -> !origin.replaceFirst("^https?://", "").equalsIgnoreCase(host));
    }

    /** Returns whether a browser sent the request for a page, rather than a program. */
    static boolean isBrowser(HttpHead head) {
        return head.headers().has("sec-fetch-site") || head.headers().has("origin") || head.headers().has("cookie");
    }

    /**
     * Returns whether the host name of the request is one of this server's. Otherwise the page may come from a name
     * whose address was changed to this machine's, which is the same site for the browser.
     *
     * @param names further host names, in lower case
     */
    static boolean isForKnownHost(HttpHead head, Set<String> names) {
        return isKnown(head.outer(), names) && isKnown(head.headers(), names);
    }

    private static boolean isKnown(HttpHeaders headers, Set<String> names) {
        return headers.all("host").stream().allMatch(text -> {
            String host = Literal.withoutPort(text).toLowerCase(Locale.ROOT).replaceFirst("\\.$", "");
            return host.equals("localhost") || names.contains(host) || Literal.address(host).isPresent();
        });
    }

    /**
     * Returns whether a request may change something. A picture, link or form of a page can send GET to any address,
     * and browsers do not always name the page. A POST has an {@code Origin}.
     */
    public static boolean mayChange(HttpHead head) {
        return head.method().equals("POST")
                || (head.method().equals("GET") && CLIENTS.stream().anyMatch(head.headers()::has));
    }

    /**
     * Returns whether a page of another site may have made a browser send the request, unknown to its user: what a
     * picture or a link can send, with nothing that names the page.
     */
    static boolean mayBeOfPage(HttpHead head) {
        return !head.method().equals("POST") && CLIENTS.stream().noneMatch(head.headers()::has);
    }
}
