package dev.weir.interop;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A key pair made by {@code weir keypair}.
 *
 * @param file the output of {@code weir keypair}, a block that Rspamd's configuration accepts, too
 * @param text the content of the file
 * @param publicKey the public key in base32
 */
record KeyFile(Path file, String text, String publicKey) {
    private static final Pattern PUBLIC_KEY = Pattern.compile("pubkey = \"([^\"]+)\"");

    static KeyFile generate(Path folder) throws IOException, InterruptedException {
        String text = Weir.run(folder, "keypair").succeeded().out();
        Matcher matcher = PUBLIC_KEY.matcher(text);
        if (!matcher.find()) {
            throw new AssertionError("weir keypair printed no public key:\n" + text);
        }
        Path file = Files.createTempFile(folder, "storage", ".key");
        Files.writeString(file, text);
        return new KeyFile(file, text, matcher.group(1));
    }
}
