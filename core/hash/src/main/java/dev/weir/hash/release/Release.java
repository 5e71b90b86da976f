package dev.weir.hash.release;

import java.util.Arrays;
import java.util.Optional;

/** A release of Rspamd whose hashes Weir reproduces (docs/integrate/compatibility.md). */
public enum Release {
    /** The release of Debian 12, which many storages still serve. */
    V3_4("3.4"), V4_1("4.1.6");

    private final String version;

    Release(String version) {
        this.version = version;
    }

    /** Returns the release of a version number; empty for a version that Weir does not reproduce. */
    public static Optional<Release> of(String version) {
        return Arrays.stream(values()).filter(release -> release.version.equals(version)).findFirst();
    }

    /** Returns the version number as a person writes it. */
    public String version() {
        return version;
    }
}
