package dev.weir.http.settings;

import java.time.Duration;

import dev.weir.http.tls.TlsFiles;

/**
 * The settings of TLS.
 *
 * @param hsts how long a browser may use this host with TLS only; zero if it need not
 */
public record TlsSettings(TlsFiles files, Duration hsts) {}
