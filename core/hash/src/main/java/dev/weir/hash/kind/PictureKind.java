package dev.weir.hash.kind;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * The kind {@code picture1}: the address of one remote picture. Logos, icons, spacers and counting pixels are left out,
 * and so are pictures at brands and mail services: mails of different senders show them.
 */
final class PictureKind {
    /** Maximum number of pictures of a mail. */
    static final int MOST = 20;
    private static final int SHORTEST_PATH = 8;
    private static final List<String> COMMON = List.of("logo", "icon", "ico.", "spacer", "pixel", "blank",
            "transparent",
            "1x1", "clear.gif", "dot.gif", "shim", "divider", "arrow", "button", "btn", "bullet", "facebook", "twitter",
            "instagram", "linkedin", "youtube", "whatsapp", "telegram", "tiktok", "pinterest", "google", "apple",
            "appstore", "app-store", "app_store", "social", "track", "open", "unsub", "avatar", "footer", "header",
            "placeholder", "badge", "flag");

    private PictureKind() {}

    /** Returns host and path of each picture, without repetitions. */
    static List<String> read(List<WebAddress> addresses) {
        Set<String> pictures = new LinkedHashSet<>();
        for (WebAddress address : addresses) {
            SiteClass site = address.site();
            if (address.role() != Markup.Role.IMAGE || pictures.size() == MOST || site == SiteClass.BRAND
                    || site == SiteClass.MAILER || site == SiteClass.REDIRECTOR) {
                continue;
            }
            String path = address.plainPath();
            String lower = path.toLowerCase(Locale.ROOT);
            if (path.length() < SHORTEST_PATH || COMMON.stream().anyMatch(lower::contains)) {
                continue;
            }
            pictures.add(address.url().host() + path);
        }
        return new ArrayList<>(pictures);
    }
}
