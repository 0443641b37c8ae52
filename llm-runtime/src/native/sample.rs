//! Choosing the next token.
//!
//! What: the likeliest token that the grammar allows. Why: no chance, so that the same question has the same answer; and a grammar
//! over the whole vocabulary costs as much as evaluating a token, so it is applied to the likeliest one first and to all
//! only when that one is refused. Not here: what is done with the token (`engine`).

use llama_cpp_2::{
    context::LlamaContext,
    model::LlamaModel,
    sampling::LlamaSampler,
    token::{LlamaToken, data::LlamaTokenData, data_array::LlamaTokenDataArray},
};

/// What llama.cpp says is no grammar.
#[derive(Debug)]
pub(super) struct NoGrammar;

/// No token has a usable weight, or none is allowed.
#[derive(Debug)]
pub(super) struct NoToken;

/// A way of choosing, for one answer.
pub(super) struct TokenSampler {
    grammar: Option<LlamaSampler>,
}

impl TokenSampler {
    /// By this grammar, from its rule `root`; none: whatever is likeliest.
    pub(super) fn new(model: &LlamaModel, grammar: Option<&str>) -> Result<Self, NoGrammar> {
        let made = grammar.map(|text| LlamaSampler::grammar(model, text, "root"));
        Ok(Self {
            grammar: made.transpose().map_err(|_| NoGrammar)?,
        })
    }

    /// The likeliest allowed token at an output of the last evaluation, which must have one at `row`.
    pub(super) fn pick(&mut self, ctx: &LlamaContext<'_>, row: i32) -> Result<LlamaToken, NoToken> {
        let best = likeliest(ctx.candidates_ith(row)).ok_or(NoToken)?;
        let Some(grammar) = &mut self.grammar else {
            return Ok(best.id());
        };
        // The grammar gives a token that it refuses the weight minus infinity.
        let alone = LlamaTokenDataArray::new(vec![best], false).with_sampler(grammar);
        if let Some(best) = likeliest(alone.data.into_iter()) {
            return Ok(best.id());
        }
        let all = ctx.token_data_array_ith(row).with_sampler(grammar);
        likeliest(all.data.into_iter())
            .map(|best| best.id())
            .ok_or(NoToken)
    }

    /// Goes on behind a token that was picked and does not end the answer.
    pub(super) fn accept(&mut self, token: LlamaToken) -> Result<(), NoToken> {
        match &mut self.grammar {
            Some(grammar) => grammar.try_accept(token).map_err(|_| NoToken),
            None => Ok(()),
        }
    }
}

/// The first of those with the largest weight; a weight that is no number does not count.
fn likeliest(all: impl Iterator<Item = LlamaTokenData>) -> Option<LlamaTokenData> {
    all.filter(|token| token.logit().is_finite())
        .reduce(
            |best, token| {
                if token.logit() > best.logit() { token } else { best }
            },
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_of_the_largest_numbers_is_likeliest_and_what_is_no_number_never() {
        for (weights, expected) in [
            (&[1.0, 3.0, 2.0][..], Some(1)),
            (&[3.0, 3.0], Some(0)),
            (&[f32::NAN, -5.0, f32::INFINITY], Some(1)),
            (&[f32::NEG_INFINITY, f32::NAN], None),
            (&[], None),
        ] {
            let all = (0..)
                .zip(weights)
                .map(|(id, w)| LlamaTokenData::new(LlamaToken(id), *w, 0.0));
            assert_eq!(likeliest(all).map(|token| token.id().0), expected, "{weights:?}");
        }
    }
}
