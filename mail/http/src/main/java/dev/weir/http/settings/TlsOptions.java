package dev.weir.http.settings;

import java.io.IOException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Optional;

import dev.weir.config.option.Section;
import dev.weir.http.tls.TlsContext;
import dev.weir.http.tls.TlsFiles;
import dev.weir.model.failure.Reason;

/** A reader of the options {@code ssl_cert} and {@code ssl_key} of a server. */
public final class TlsOptions {
    private TlsOptions() {}

    /**
     * Returns the files of a certificate and its key, which can be used at present; empty if there are none. Reports
     * what is wrong with them.
     *
     * @param clients the file with the authorities of clients, if the section has one
     */
    public static Optional<TlsFiles> read(Section section, Optional<String> clients) {
        Optional<String> certificate = section.string("ssl_cert");
        Optional<String> key = section.string("ssl_key");
        if (certificate.isEmpty() && key.isEmpty()) {
            return Optional.empty();
        }
        if (certificate.isEmpty() || key.isEmpty()) {
            section.refuse(certificate.isPresent() ? "ssl_cert" : "ssl_key", "expected both ssl_cert and ssl_key");
            return Optional.empty();
        }
        try {
            TlsFiles wanted = new TlsFiles(Path.of(certificate.get()), Path.of(key.get()), clients.map(Path::of));
            TlsContext.load(wanted);
            return Optional.of(wanted);
        } catch (IOException | InvalidPathException e) {
            section.refuse("ssl_cert", Reason.of(e));
            return Optional.empty();
        }
    }
}
