package dev.weir.load.query;

import java.util.List;

/** Unencrypted queries, each written when it is sent. */
record PlainSource(Queries asked) implements QuerySource {
    private static final long LAST_TAG = 0xffff_ffffL;

    @Override
    public int maxBytes() {
        return Queries.MAX_BYTES;
    }

    @Override
    public long lastTag() {
        return LAST_TAG;
    }

    @Override
    public int write(long number, byte[] out) {
        return asked.write(number & LAST_TAG, (int) number, out, 0);
    }

    @Override
    public long open(byte[] bytes, int length, ReplyView answer) {
        return answer.wrap(bytes, 0, length) ? Integer.toUnsignedLong(answer.tag()) : NO_ANSWER;
    }

    @Override
    public List<Queries> queries() {
        return List.of(asked);
    }
}
