package dev.weir.storage.shared;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

import redis.clients.jedis.Jedis;

/** A Lua script that Redis runs as one atomic step. */
final class RedisScript {
    private final byte[] text;
    private final byte[] sum;

    private RedisScript(byte[] text) {
        this.text = text;
        try {
            this.sum = HexFormat.of().formatHex(MessageDigest.getInstance("SHA-1").digest(text))
                    .getBytes(StandardCharsets.US_ASCII);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Joins parts of this package into a script. */
    static RedisScript of(String... parts) {
        StringBuilder text = new StringBuilder();
        for (String part : parts) {
            try (InputStream in = RedisScript.class.getResourceAsStream(part + ".lua")) {
                if (in == null) {
                    throw new IllegalStateException("the program lacks " + part + ".lua");
                }
                text.append(new String(in.readAllBytes(), StandardCharsets.UTF_8));
            } catch (IOException e) {
                throw new IllegalStateException("the program lacks " + part + ".lua", e);
            }
        }
        return new RedisScript(text.toString().getBytes(StandardCharsets.UTF_8));
    }

    /** Returns the name of the script in Redis. */
    byte[] sum() {
        return sum.clone();
    }

    /** Makes the script known to a server. */
    void load(Jedis jedis) {
        jedis.scriptLoad(text);
    }
}
