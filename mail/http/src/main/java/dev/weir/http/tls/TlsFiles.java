package dev.weir.http.tls;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The files of a server with TLS, in PEM.
 *
 * @param certificate the certificate of the server, followed by those that lead to an authority
 * @param key the private key of the server, without a passphrase
 * @param clients the authorities whose clients may read without a password; empty for none
 */
public record TlsFiles(Path certificate, Path key, Optional<Path> clients) {
    List<Path> all() {
        return Stream.concat(Stream.of(certificate, key), clients.stream()).toList();
    }
}
