//! What the network has learnt, as it is kept in memory.

use std::io::Result;

use super::file::{BodyReader, BodyWriter};
use super::linear::Linear;

/// Numbers per token.
pub(super) const WIDTH: usize = 384;
/// Numbers per token between the two halves of a layer's second part.
pub(super) const INNER: usize = 1536;
/// How many times a layer looks at the other tokens.
pub(super) const HEADS: usize = 12;
/// How many layers there are.
pub(super) const LAYERS: usize = 6;
/// How many tokens are looked at; the rest of a text is left out.
pub(super) const TOKENS: usize = 256;

/// The network.
pub(super) struct Model {
    /// One row of signed bytes per word of the vocabulary, and the size of their unit.
    pub words: Vec<u8>,
    pub word_scales: Vec<f32>,
    pub positions: Vec<f32>,
    pub norm: Norm,
    pub layers: Vec<Layer>,
}

/// One layer: look at the other tokens, then think about each.
pub(super) struct Layer {
    /// Query, key and value side by side; queries are already divided by √32.
    pub attention: Linear,
    pub attention_output: Linear,
    pub attention_norm: Norm,
    pub inner: Linear,
    pub output: Linear,
    pub norm: Norm,
}

/// Gain and bias of a layer norm.
pub(super) struct Norm {
    pub gain: Vec<f32>,
    pub bias: Vec<f32>,
}

impl Model {
    pub fn write(&self, body: &mut BodyWriter) -> Result<()> {
        body.f32s(&self.word_scales)?;
        body.bytes(&self.words)?;
        body.f32s(&self.positions)?;
        self.norm.write(body)?;
        self.layers.iter().try_for_each(|layer| layer.write(body))
    }

    pub fn read(body: &mut BodyReader, words: usize) -> Result<Self> {
        Ok(Self {
            word_scales: body.f32s(words)?,
            words: body.bytes(words * WIDTH)?,
            positions: body.f32s(TOKENS * WIDTH)?,
            norm: Norm::read(body)?,
            layers: (0..LAYERS).map(|_| Layer::read(body)).collect::<Result<_>>()?,
        })
    }
}

impl Layer {
    fn write(&self, body: &mut BodyWriter) -> Result<()> {
        self.attention.write(body)?;
        self.attention_output.write(body)?;
        self.attention_norm.write(body)?;
        self.inner.write(body)?;
        self.output.write(body)?;
        self.norm.write(body)
    }

    fn read(body: &mut BodyReader) -> Result<Self> {
        Ok(Self {
            attention: Linear::read(body, WIDTH, 3 * WIDTH)?,
            attention_output: Linear::read(body, WIDTH, WIDTH)?,
            attention_norm: Norm::read(body)?,
            inner: Linear::read(body, WIDTH, INNER)?,
            output: Linear::read(body, INNER, WIDTH)?,
            norm: Norm::read(body)?,
        })
    }
}

impl Norm {
    fn write(&self, body: &mut BodyWriter) -> Result<()> {
        body.f32s(&self.gain)?;
        body.f32s(&self.bias)
    }

    fn read(body: &mut BodyReader) -> Result<Self> {
        Ok(Self { gain: body.f32s(WIDTH)?, bias: body.f32s(WIDTH)? })
    }
}
