package dev.weir.hash.kind;

import java.util.HashMap;
import java.util.Locale;
import java.util.Map;

import dev.weir.hash.table.TextTable;
import org.jspecify.annotations.Nullable;

/** What a host is used for, where this changes what an address says about a mail. The list ships with Weir. */
enum SiteClass {
    /** Storage and hosting whose customer is a label of the host. */
    CLOUD_HOST,
    /** Storage and hosting whose customer is the first segment of the path. */
    CLOUD_PATH,
    /** Pictures of anyone: only the whole path tells them apart. */
    PICTURES,
    /** Redirectors and shorteners: each address leads anywhere. */
    REDIRECTOR,
    /** Mail services: links for counting clicks and pictures for counting readers. */
    MAILER,
    /** Large brands and social networks, to which any mail may link. */
    BRAND;

    private static final Map<String, SiteClass> SITES = load();

    private static Map<String, SiteClass> load() {
        Map<String, SiteClass> sites = new HashMap<>();
        for (String[] row : TextTable.rows(SiteClass.class, "sites.txt", " ")) {
            SiteClass type = valueOf(row[0].toUpperCase(Locale.ROOT).replace('-', '_'));
            for (int i = 1; i < row.length; i++) {
                sites.put(row[i], type);
            }
        }
        return Map.copyOf(sites);
    }

    /** Returns the class of the host, or of the closest domain above it; null for all other hosts. */
    static @Nullable SiteClass of(String host) {
        String name = host;
        while (true) {
            SiteClass type = SITES.get(name);
            if (type != null) {
                return type;
            }
            int dot = name.indexOf('.');
            if (dot < 0) {
                return null;
            }
            name = name.substring(dot + 1);
        }
    }
}
